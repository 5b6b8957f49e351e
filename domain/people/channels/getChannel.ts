import type { Context, Input } from '../../request/context.ts'
import { existingChannel } from '../records/channel.ts'

/** Reads a channel. */
export async function getChannel({ store }: Context, { path }: Input<'getChannel'>) {
  const channel = await existingChannel(store, path.channel_id)
  return { status: 200, body: channel, own: channel }
}
