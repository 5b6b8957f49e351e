import type { Context, Input } from '../request/context.ts'
import { decideOn } from '../request/preconditions.ts'
import { archivedChannel, channels, existingChannel } from './channel.ts'

/** Archives a channel: it can still be read, but no roles are given on it. */
export async function archiveChannel(context: Context, { path }: Input<'archiveChannel'>) {
  const { store, now } = context
  const before = await existingChannel(store, path.channel_id)
  const after = decideOn(context, before, () => archivedChannel(before, now))
  await store.write([channels.replace(before, after)])
  return { status: 200, body: after, own: after }
}
