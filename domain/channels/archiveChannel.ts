import type * as contracts from '../../schemas/channels.ts'
import { retrying } from '../base/flow.ts'
import type { Operation } from '../request/context.ts'
import { type Channel, channels, requireChannel } from './channel.ts'
import { archivedChannel } from './channelRules.ts'

/** Archives a channel: it can still be read, but no roles are given on it. */
export const archiveChannel: Operation<typeof contracts.archiveChannel, Channel> = ({ store, now }, { path }) => {
  return retrying(async () => {
    const before = requireChannel(await channels.read(store, path.channel_id))
    const after = archivedChannel(before, now)
    await store.write([channels.replace(before, after)])
    return { status: 200, body: after }
  })
}
