import type { Context, Input } from '../request/context.ts'
import { channels, requireChannel } from './channel.ts'

/** Reads a channel. */
export async function getChannel({ store }: Context, { path }: Input<'getChannel'>) {
  return { status: 200, body: requireChannel(await channels.read(store, path.channel_id)) }
}
