import type { Context, Input } from '../../request/context.ts'
import { existingChannel } from '../records/channel.ts'
import { assignableRoles } from '../roles/assignableRoles.ts'

/** Lists the roles that the actor may give on a channel. */
export async function listAssignableChannelRoles(
  context: Context,
  { path, query }: Input<'listAssignableChannelRoles'>,
) {
  const [body] = await Promise.all([
    assignableRoles(context, ['listAssignableChannelRoles', path.channel_id], 'CHANNELS', query),
    existingChannel(context.store, path.channel_id),
  ])
  return { status: 200, body }
}
