import type * as contracts from '../../schemas/channelAssignments.ts'
import type { Input } from '../../schemas/contract.ts'
import type { Answer, Context } from '../request/context.ts'
import { assignableRoles } from '../roles/assignableRoles.ts'
import { channels, requireChannel } from './channel.ts'

/** Lists the roles that the actor may give on a channel. */
export async function listAssignableChannelRoles(
  context: Context,
  { path, query }: Input<typeof contracts.listAssignableChannelRoles>,
): Promise<Answer<Awaited<ReturnType<typeof assignableRoles>>>> {
  const [body, channel] = await Promise.all([
    assignableRoles(context, 'CHANNELS', query),
    channels.read(context.store, path.channel_id),
  ])
  requireChannel(channel)
  return { status: 200, body }
}
