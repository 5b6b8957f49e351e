import type * as contracts from '../../schemas/channels.ts'
import { refuse } from '../base/errors.ts'
import { retrying } from '../base/flow.ts'
import type { Operation } from '../request/context.ts'
import { countRoleUse } from '../roles/role.ts'
import { attachmentsOf, channels, detach, requireChannel } from './channel.ts'

/** Detaches a user group. Its members keep the roles that they hold directly or through other groups. */
export const deleteChannelGroup: Operation<typeof contracts.deleteChannelGroup, undefined> = (context, { path }) => {
  const { store, shard } = context
  return retrying(async () => {
    const [channel, attachment, { predefined }] = await Promise.all([
      channels.read(store, path.channel_id),
      attachmentsOf(path.channel_id).read(store, path.user_group_id),
      context.organisation(),
    ])
    requireChannel(channel)
    if (!attachment) throw refuse('CHANNEL_USER_GROUP_NOT_FOUND', 'user_group_id')
    await store.write([
      ...detach(path.channel_id, attachment),
      ...countRoleUse(predefined, attachment.role_id, -1, shard),
    ])
    return { status: 204, body: undefined }
  })
}
