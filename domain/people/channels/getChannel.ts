import type { Context, Input } from '../../request/context.ts'
import { channelFields, existingChannel } from '../records/channel.ts'

/** Reads a channel. */
export async function getChannel({ store }: Context, { path }: Input<'getChannel'>) {
  return channelFields.answer(await existingChannel(store, path.channel_id))
}
