import { absent, atLeast, exists, is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import * as places from '../table/places.ts'
import type { Action, Item } from '../table/store.ts'
import { namesInLists } from '../users/userItems.ts'
import { bumpUserVersion, type UserRecord } from '../users/userRecord.ts'

/** A role of one user on one channel. */
export type ChannelTriple = { channel_id: string; user_id: string; role_id: string }

/** The item of a role held directly, with its place in the channel's lists. */
export const channelAssignmentItem = (
  user: Pick<UserRecord, 'id' | 'first_name' | 'last_name'>,
  channel: string,
  role: string,
): Item => ({
  ...keys.channelAssignmentKey(user.id, channel, role),
  list: places.channelList(channel, role),
  ...namesInLists(user),
  source: 'MANUAL',
})

/** A new direct assignment on a channel that is still active. */
export const channelAssignmentCreation = (id: ChannelTriple, user: UserRecord): Action[] => [
  ...directHolding(id, user),
  { check: keys.channelKey(id.channel_id), if: is({ 'data/status': 'ACTIVE' }) },
]

/** A role held directly with its count, for a user who is still as he was read. */
export const directHolding = ({ channel_id, role_id }: ChannelTriple, user: UserRecord): Action[] => [
  { put: channelAssignmentItem(user, channel_id, role_id), if: absent },
  bumpUserVersion(user),
  { update: keys.channelCountKey(channel_id, role_id), add: { count: 1 } },
]

/** Ends a direct assignment. */
export const channelAssignmentDeletion = (id: ChannelTriple): Action[] => [ended(id), countedOff(id)]

const ended = ({ channel_id, user_id, role_id }: ChannelTriple): Action => ({
  delete: keys.channelAssignmentKey(user_id, channel_id, role_id),
  if: exists,
})

const countedOff = ({ channel_id, role_id }: ChannelTriple) => ({
  update: keys.channelCountKey(channel_id, role_id),
  add: { count: -1 },
})

/** So many of the assignments of owners who are gone are looked at again: a transaction holds no more. */
const MOST_GONE = 90

/**
 * Ends the assignment of one owner of several. The count is judged in the transaction, as the one that was read may be
 * older than the assignment: where all else is as it was read, a count too low says that no other owner is left. `gone`
 * are the owners who are counted although they are past their deadline.
 */
export function ownershipDeletion(id: ChannelTriple, gone: readonly Item[]): Action[] {
  const still = gone.slice(0, MOST_GONE).map(({ pk, sk }) => ({ check: { pk, sk }, if: exists }))
  return [
    ...still,
    ended(id),
    {
      ...countedOff(id),
      if: atLeast('count', gone.length + 2),
      otherwise: { code: 'ROLE_NOT_DELETABLE', property: 'role_id' },
    },
  ]
}
