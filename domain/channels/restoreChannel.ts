import type * as contracts from '../../schemas/channels.ts'
import type { Input } from '../../schemas/contract.ts'
import { retrying } from '../base/flow.ts'
import type { Answer, Context } from '../request/context.ts'
import { type Channel, channels, requireChannel } from './channel.ts'
import { restoredChannel } from './channelRules.ts'

/** Makes an archived channel active again. */
export function restoreChannel(
  { store, now }: Context,
  { path }: Input<typeof contracts.restoreChannel>,
): Promise<Answer<Channel>> {
  return retrying(async () => {
    const before = requireChannel(await channels.read(store, path.channel_id))
    const after = restoredChannel(before, now)
    await store.write([channels.replace(before, after)])
    return { status: 200, body: after }
  })
}
