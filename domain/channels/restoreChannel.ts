import type { Context, Input } from '../request/context.ts'
import { channels, requireChannel } from './channel.ts'
import { restoredChannel } from './channelRules.ts'

/** Makes an archived channel active again. */
export async function restoreChannel({ store, now }: Context, { path }: Input<'restoreChannel'>) {
  const before = requireChannel(await channels.read(store, path.channel_id))
  const after = restoredChannel(before, now)
  await store.write([channels.replace(before, after)])
  return { status: 200, body: after }
}
