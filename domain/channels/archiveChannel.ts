import type * as contracts from '../../schemas/channels.ts'
import type { Input } from '../../schemas/contract.ts'
import { retrying } from '../base/flow.ts'
import type { Answer, Context } from '../request/context.ts'
import { type Channel, channels, requireChannel } from './channel.ts'
import { archivedChannel } from './channelRules.ts'

/** Archives a channel: it can still be read, but no roles are given on it. */
export function archiveChannel(
  { store, now }: Context,
  { path }: Input<typeof contracts.archiveChannel>,
): Promise<Answer<Channel>> {
  return retrying(async () => {
    const before = requireChannel(await channels.read(store, path.channel_id))
    const after = archivedChannel(before, now)
    await store.write([channels.replace(before, after)])
    return { status: 200, body: after }
  })
}
