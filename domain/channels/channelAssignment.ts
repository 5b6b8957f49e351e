import type { Context } from '../request/context.ts'
import { type Role, roleReference } from '../roles/role.ts'
import { shardedCounter } from '../table/counters.ts'
import { joinedId, lastIn, tell } from '../table/events.ts'
import { absent, atLeast, every, exists, is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import * as places from '../table/places.ts'
import { defineRow } from '../table/records.ts'
import { type Action, type Item, type Key, keyIn } from '../table/store.ts'
import { bumpUserVersion, type UserRecord, userReference } from '../users/user.ts'
import { namesInLists } from '../users/userSearch.ts'
import { requireActive } from './channel.ts'

/** A role of one user on one channel. */
export type ChannelTriple = { channel_id: string; user_id: string; role_id: string }

/** Held directly, or through a user group. */
export type Source = 'MANUAL' | 'USER_GROUP'

/** What giving a role on a channel sets. */
export const ownOfHolding = ({
  id: { channel_id, user_id, role_id },
  source,
}: {
  id: ChannelTriple
  source: Source
}) => ({
  channel_id,
  user_id,
  role_id,
  source,
})

const rows = defineRow<ReturnType<typeof namesInLists> & { list: string; source: 'MANUAL' }>()

/** Counts the users who hold a role on a channel directly, in one item: that an owner is left must be exact. */
const directHolders = (channel: string, role: string) =>
  shardedCounter(() => keys.channelCountKey(channel, role), keys.wholeChannel(channel), 1)

/** Gives a user a role on a channel that is still active. */
export const channelAssignmentCreation = (id: ChannelTriple, user: UserRecord): Action[] => [
  ...assignmentOnNewChannel(id, user),
  requireActive(id.channel_id),
]

/** The same on a channel that is created in the same transaction. The user must still be as they were read. */
export const assignmentOnNewChannel = ({ channel_id, role_id }: ChannelTriple, user: UserRecord): Action[] => [
  ...channelHolding(user, { channel: channel_id, role: role_id }),
  bumpUserVersion(user),
]

/** A role held directly, with its place in the channel's lists and its count. */
export function channelHolding(user: UserRecord, { channel, role }: { channel: string; role: string }): Action[] {
  const id = { channel_id: channel, user_id: user.id, role_id: role }
  const place = { list: places.channelList(channel, role), ...namesInLists(user), source: 'MANUAL' } as const
  return [
    {
      put: rows.item(keys.channelAssignmentKey(user.id, channel, role), place),
      if: absent,
      event: tell(naming(id), undefined, id),
    },
    directHolders(channel, role).add(0, { count: 1 }),
  ]
}

const naming = ({ channel_id, user_id, role_id }: ChannelTriple) => ({
  record: { kind: 'channel_assignment', id: joinedId(channel_id, user_id, role_id) },
  among: { kind: 'user', id: user_id },
})

const keyOf = ({ channel_id, user_id, role_id }: ChannelTriple): Key =>
  keys.channelAssignmentKey(user_id, channel_id, role_id)

const ended = (id: ChannelTriple, held: Item): Action => ({
  delete: keyOf(id),
  if: every(exists, is({ event: lastIn(held) })),
  event: tell({ ...naming(id), last: lastIn(held) }, id, undefined),
})

const countedOff = ({ channel_id, role_id }: ChannelTriple): Action =>
  directHolders(channel_id, role_id).add(0, { count: -1 })

/** Ends a direct assignment that is still as it was read. */
export const channelAssignmentDeletion = (id: ChannelTriple, held: Item): Action[] => [ended(id, held), countedOff(id)]

/** Ends a direct assignment together with its user. */
export const channelAssignmentEnd = (id: ChannelTriple): Action[] => [{ delete: keyOf(id), if: exists }, countedOff(id)]

/** The most assignments of overdue owners that are checked again: the rest of the transaction is for the deletion. */
const MOST_CHECKED = 90

/**
 * Ends the assignment of one owner of several. `overdue` are assignments of owners past their deadline, who are still
 * counted. The transaction checks the count itself, as a count that was read may be old. It refuses if no other owner would
 * be left.
 */
export function ownershipDeletion(id: ChannelTriple, held: Item, overdue: readonly Item[]): Action[] {
  return [
    ...overdue.slice(0, MOST_CHECKED).map((item) => ({ check: keyIn(item), if: exists })),
    ended(id, held),
    directHolders(id.channel_id, id.role_id).add(
      0,
      { count: -1 },
      { if: atLeast('count', overdue.length + 2), otherwise: { code: 'ROLE_NOT_DELETABLE', property: 'role_id' } },
    ),
  ]
}

type Shown = {
  id: ChannelTriple
  source: Source
  user: UserRecord | undefined
  role: Role | undefined
  /** No other user holds the role directly: the last owner cannot lose it. */
  isLast?: boolean
}
type Embed = readonly ('USER' | 'ROLE' | 'ACTIONS')[] | undefined

/** A role on a channel as it is answered. */
export async function viewChannelAssignment(
  context: Context,
  { id: { channel_id, user_id, role_id }, source, user, role, isLast = false }: Shown,
  embed: Embed,
) {
  const isLastOwner = role?.predefined_role_type === 'CHANNEL_OWNER' && isLast
  return {
    id: { channel_id, user_id, role_id },
    source,
    ...(embed?.includes('USER') ? { user: userReference(user_id, user) } : {}),
    ...(embed?.includes('ROLE') && role ? { role: await roleReference(context, role) } : {}),
    ...(embed?.includes('ACTIONS') ? { actions: { delete: { allowed: source === 'MANUAL' && !isLastOwner } } } : {}),
  }
}
