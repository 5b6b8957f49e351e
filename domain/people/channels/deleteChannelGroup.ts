import { refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { requireExpected } from '../../request/etags.ts'
import { attachmentsOf, detach, existingChannel, ownOfAttachment } from '../records/channel.ts'

/** Detaches a user group. Its members keep the roles that they hold directly or through other groups. */
export async function deleteChannelGroup(context: Context, { path }: Input<'deleteChannelGroup'>) {
  const { store, shard } = context
  const [attachment, { predefined }] = await Promise.all([
    attachmentsOf(path.channel_id).read(store, path.user_group_id),
    context.organisation(),
    existingChannel(store, path.channel_id),
  ])
  if (!attachment) throw refuse('CHANNEL_USER_GROUP_NOT_FOUND', 'user_group_id')
  requireExpected(context, ownOfAttachment(path.channel_id, attachment))
  await store.write(detach(path.channel_id, attachment, { predefined, shard }))
  return { status: 204, body: undefined }
}
