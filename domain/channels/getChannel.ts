import type * as contracts from '../../schemas/channels.ts'
import type { Operation } from '../request/context.ts'
import { type Channel, channels, requireChannel } from './channel.ts'

/** Reads a channel. */
export const getChannel: Operation<typeof contracts.getChannel, Channel> = async ({ store }, { path }) => {
  return { status: 200, body: requireChannel(await channels.read(store, path.channel_id)) }
}
