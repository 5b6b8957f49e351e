import { refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { readChannelAccess, rolesOn } from '../channels/channelMembers.ts'
import { roles } from '../records/role.ts'
import { viewOwnChannel } from './ownChannel.ts'

/** Reads an active channel on which the caller holds a role. Of any other channel it says that there is none. */
export async function getOwnChannel(context: Context, { path }: Input<'getOwnChannel'>) {
  const { channel, tree, own } = await readChannelAccess(context, path.channel_id)
  const found = channel
    ? await Promise.all([...rolesOn(channel, tree, own)].map((id) => roles.read(context.store, id)))
    : []
  const held = found.filter((role) => role !== undefined)
  if (channel?.channel.status !== 'ACTIVE' || held.length === 0) throw refuse('CHANNEL_NOT_FOUND', 'channel_id')
  const body = await viewOwnChannel(context, channel.channel, held)
  return { status: 200, body, own: body }
}
