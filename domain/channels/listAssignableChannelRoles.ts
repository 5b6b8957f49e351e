import type { Context, Input } from '../request/context.ts'
import { assignableRoles } from '../roles/assignableRoles.ts'
import { channels, requireChannel } from './channel.ts'

/** Lists the roles that the actor may give on a channel. */
export async function listAssignableChannelRoles(
  context: Context,
  { path, query }: Input<'listAssignableChannelRoles'>,
) {
  const [body, channel] = await Promise.all([
    assignableRoles(context, ['listAssignableChannelRoles', path.channel_id], 'CHANNELS', query),
    channels.read(context.store, path.channel_id),
  ])
  requireChannel(channel)
  return { status: 200, body }
}
