import type { Context, Input } from '../../request/context.ts'
import { answerChannel, existingChannel } from '../records/channel.ts'

/** Reads a channel. */
export async function getChannel({ store }: Context, { path }: Input<'getChannel'>) {
  return answerChannel(await existingChannel(store, path.channel_id))
}
