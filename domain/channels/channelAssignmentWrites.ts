import { touched } from '../groups/groupAssignmentWrites.ts'
import * as keys from '../store/keys.ts'
import type { Action, Item } from '../store/store.ts'
import { namesInLists } from '../users/userItems.ts'
import type { UserRecord } from '../users/userRecord.ts'

/** A role of one user on one channel. */
export type ChannelTriple = { channel_id: string; user_id: string; role_id: string }

/** The item of a role held directly, with its place in the channel's lists. */
export const channelAssignmentItem = (
  user: Pick<UserRecord, 'id' | 'first_name' | 'last_name'>,
  channel: string,
  role: string,
): Item => ({
  ...keys.channelAssignmentKey(user.id, channel, role),
  list: keys.channelList(channel, role),
  ...namesInLists(user),
  source: 'MANUAL',
})

/** A new direct assignment on a channel that is still active. */
export const channelAssignmentCreation = (id: ChannelTriple, user: UserRecord): Action[] => [
  ...directHolding(id, user),
  { check: keys.channelKey(id.channel_id), if: '#data.#status = :active', values: { active: 'ACTIVE' } },
]

/** A role held directly with its count, for a user who is still as he was read. */
export const directHolding = ({ channel_id, role_id }: ChannelTriple, user: UserRecord): Action[] => [
  { put: channelAssignmentItem(user, channel_id, role_id), if: 'attribute_not_exists(#pk)' },
  touched(user),
  { update: keys.channelCountKey(channel_id, role_id), change: 'ADD #count :one', values: { one: 1 } },
]

/** Ends a direct assignment; `needed` says how many must have held the role, as it was decided on. */
export const channelAssignmentDeletion = (
  { channel_id, user_id, role_id }: ChannelTriple,
  needed: number | undefined,
): Action[] => [
  { delete: keys.channelAssignmentKey(user_id, channel_id, role_id), if: 'attribute_exists(#pk)' },
  {
    update: keys.channelCountKey(channel_id, role_id),
    change: 'ADD #count :less',
    ...(needed === undefined ? { values: { less: -1 } } : { if: '#count >= :needed', values: { less: -1, needed } }),
  },
]
