import type * as contracts from '../../schemas/channelAssignments.ts'
import type { Operation } from '../request/context.ts'
import { assignableRoles } from '../roles/assignableRoles.ts'
import { channels, requireChannel } from './channel.ts'

/** Lists the roles that the actor may give on a channel. */
export const listAssignableChannelRoles: Operation<
  typeof contracts.listAssignableChannelRoles,
  Awaited<ReturnType<typeof assignableRoles>>
> = async (context, { path, query }) => {
  const [body, channel] = await Promise.all([
    assignableRoles(context, ['listAssignableChannelRoles', path.channel_id], 'CHANNELS', query),
    channels.read(context.store, path.channel_id),
  ])
  requireChannel(channel)
  return { status: 200, body }
}
