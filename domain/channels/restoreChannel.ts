import type * as contracts from '../../schemas/channels.ts'
import { retrying } from '../base/flow.ts'
import type { Operation } from '../request/context.ts'
import { type Channel, channels, requireChannel } from './channel.ts'
import { restoredChannel } from './channelRules.ts'

/** Makes an archived channel active again. */
export const restoreChannel: Operation<typeof contracts.restoreChannel, Channel> = ({ store, now }, { path }) => {
  return retrying(async () => {
    const before = requireChannel(await channels.read(store, path.channel_id))
    const after = restoredChannel(before, now)
    await store.write([channels.replace(before, after)])
    return { status: 200, body: after }
  })
}
