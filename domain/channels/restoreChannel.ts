import type { Context, Input } from '../request/context.ts'
import { decideOn } from '../request/preconditions.ts'
import { channels, existingChannel, restoredChannel } from './channel.ts'

/** Makes an archived channel active again. */
export async function restoreChannel(context: Context, { path }: Input<'restoreChannel'>) {
  const { store, now } = context
  const before = await existingChannel(store, path.channel_id)
  const after = decideOn(context, before, () => restoredChannel(before, now))
  await store.write([channels.replace(before, after)])
  return { status: 200, body: after, own: after }
}
