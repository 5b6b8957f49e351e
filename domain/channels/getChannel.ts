import type * as contracts from '../../schemas/channels.ts'
import type { Input } from '../../schemas/contract.ts'
import type { Answer, Context } from '../request/context.ts'
import { type Channel, channels, requireChannel } from './channel.ts'

/** Reads a channel. */
export async function getChannel(
  { store }: Context,
  { path }: Input<typeof contracts.getChannel>,
): Promise<Answer<Channel>> {
  return { status: 200, body: requireChannel(await channels.read(store, path.channel_id)) }
}
