import { refuse } from '../base/errors.ts'
import type { Organisation } from '../organisation/organisation.ts'
import type { Actor, Context } from '../request/context.ts'
import { countRoleUse, mayAssign, type Role } from '../roles/role.ts'
import { joinedId, lastIn, tell } from '../table/events.ts'
import { absent, exists, is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { groupList } from '../table/places.ts'
import { defineRow } from '../table/records.ts'
import type { Action, Item, Key, Store } from '../table/store.ts'
import { bumpUserVersion, readUser, type UserRecord, userReference } from '../users/user.ts'
import { namesInLists } from '../users/userSearch.ts'
import { existingGroup, type Group, groupMembers } from './group.ts'

/** What identifies an assignment: one role of one user in one group. */
export type GroupAssignmentId = { group_id: string; user_id: string; role_id: string }
/** Where it comes from: the primary group, a call, or a rule. */
export type GroupAssignmentSource = 'PRIMARY' | 'MANUAL' | 'RULE'

/** What giving a role in a group sets. */
export const ownOfGroupAssignment = (
  { group_id, user_id, role_id }: GroupAssignmentId,
  source: GroupAssignmentSource,
) => ({ group_id, user_id, role_id, source })

/** An assignment as it is stored: its place in the list of the group's role, and its source. */
const rows = defineRow<{ list: string; source: GroupAssignmentSource } & ReturnType<typeof namesInLists>>()

const keyOf = ({ group_id, user_id, role_id }: GroupAssignmentId): Key =>
  keys.groupAssignmentKey(user_id, group_id, role_id)

type Holder = Pick<UserRecord, 'id' | 'first_name' | 'last_name'>
type Held = { group: string; role: string; source: GroupAssignmentSource }

/**
 * What an assignment's event tells. A primary one has none: the user's own events tell it, by `primary_user_group_id`. One that
 * becomes primary for a while goes on later.
 */
const naming = ({ group_id, user_id, role_id }: GroupAssignmentId) => ({
  record: { kind: 'user_group_assignment', id: joinedId(group_id, user_id, role_id) },
  among: { kind: 'user', id: user_id },
})

const idOf = (user: Holder, { group, role }: Held): GroupAssignmentId => ({
  group_id: group,
  user_id: user.id,
  role_id: role,
})

/** The item of an assignment. */
export const groupAssignmentItem = (user: Holder, { group, role, source }: Held): Item =>
  rows.item(keys.groupAssignmentKey(user.id, group, role), {
    list: groupList(group, role),
    ...namesInLists(user),
    source,
  })

/** Gives an assignment that exists another source. */
export const changeSource = (user: Holder, { group, role, source }: Held): Action => ({
  update: keys.groupAssignmentKey(user.id, group, role),
  set: { source },
  if: exists,
})

/** The source of an assignment. */
export const sourceOf = (item: Item): GroupAssignmentSource => rows.of(item).source

/** An assignment as it is now; undefined if there is none. */
export const readGroupAssignment = (store: Store, id: GroupAssignmentId): Promise<Item | undefined> =>
  store.get(keyOf(id))

/** The source, the last event and the user of an assignment that must exist. Users past their deadline have none, removed or not. */
export async function existingGroupAssignment({ store, now }: Context, id: GroupAssignmentId) {
  const [, user, item] = await Promise.all([
    existingGroup(store, id.group_id),
    readUser(store, id.user_id, now),
    readGroupAssignment(store, id),
  ])
  if (!user || !item) throw refuse('USER_GROUP_ASSIGNMENT_NOT_FOUND')
  return { user, source: sourceOf(item), last: lastIn(item) }
}

type Parties = { group: Group; user: UserRecord | undefined; role: Role | undefined; actor: Actor }

/** Answers the user who gets the role, or refuses. Clients rely on the order of the checks. */
export function checkAssignable({ group, user, role, actor }: Parties): UserRecord {
  if (group.status === 'ARCHIVED') throw refuse('USER_GROUP_ARCHIVED', 'group_id')
  if (!user) throw refuse('UNKNOWN_USER_ID', 'user_id')
  if (user.status !== 'ACTIVE') throw refuse('USER_NOT_ASSIGNABLE', 'user_id')
  if (!role) throw refuse('ROLE_DOES_NOT_EXIST', 'role_id')
  if (role.scope !== 'USER_GROUPS') throw refuse('ROLE_HAS_WRONG_PERMISSION_SCOPE', 'role_id')
  if (!mayAssign(actor, role, 'USER_GROUPS')) throw refuse('ROLE_NOT_ASSIGNABLE', 'role_id')
  return user
}

/** What an assignment is counted by. */
type Counting = { predefined: Organisation['predefined']; shard: number }

/** A role held in a group that is not closed, with its counts. */
export const groupHolding = (user: UserRecord, held: Held, { predefined, shard }: Counting): Action[] => [
  {
    put: groupAssignmentItem(user, held),
    if: absent,
    event: tell(naming(idOf(user, held)), undefined, { ...idOf(user, held), source: held.source }),
  },
  groupMembers(held.group).addIfOpen(shard, { [keys.roleCount(held.role)]: 1 }),
  ...countRoleUse(predefined, held.role, 1, shard),
]

/** Gives a user who is still as they were read a role in a group that is not closed. */
export const groupAssignmentCreation = (
  { group_id: group, role_id: role }: GroupAssignmentId,
  user: UserRecord,
  counting: Counting,
): Action[] => [...groupHolding(user, { group, role, source: 'MANUAL' }, counting), bumpUserVersion(user)]

/** Ends an assignment that was given by a call, and is still as it was read. */
export function groupAssignmentDeletion(id: GroupAssignmentId, last: string | undefined, counting: Counting): Action[] {
  const [deletion, ...counts] = groupAssignmentEnd(id, counting)
  const expected = is({ source: 'MANUAL', event: last })
  return [
    {
      ...(deletion as Action),
      if: expected,
      event: tell({ ...naming(id), last }, { ...id, source: 'MANUAL' }, undefined),
    },
    ...counts,
  ]
}

/** Ends an assignment together with its user. */
export const groupAssignmentEnd = (id: GroupAssignmentId, { predefined, shard }: Counting): Action[] => [
  { delete: keyOf(id), if: exists },
  groupMembers(id.group_id).add(shard, { [keys.roleCount(id.role_id)]: -1 }),
  ...countRoleUse(predefined, id.role_id, -1, shard),
]

/** What an item of a batch reads and changes. Each changes the user's version, so items about one user take turns. */
export const readsOf = (id: GroupAssignmentId): Key[] => [
  keys.groupKey(id.group_id),
  keys.userKey(id.user_id),
  keyOf(id),
]
export const changesOf = ({ user_id }: GroupAssignmentId): string[] => [`user:${user_id}`]

type Shown = { source: GroupAssignmentSource; user: UserRecord | undefined; embed: readonly 'ACTIONS'[] | undefined }

/** An assignment as it is answered. */
export const viewGroupAssignment = (
  { group_id, user_id, role_id }: GroupAssignmentId,
  { source, user, embed }: Shown,
) => ({
  id: { group_id, user_id, role_id },
  source,
  user: userReference(user_id, user),
  ...(embed?.includes('ACTIONS') ? { actions: { delete: { allowed: source === 'MANUAL' } } } : {}),
})
export type GroupAssignmentView = ReturnType<typeof viewGroupAssignment>
