import { channelAssignmentKey, groupAssignmentKey } from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import { isGone, type UserRecord } from '../users/user.ts'
import type { DirectoryFile, Entry } from './directoryFile.ts'
import { userIn } from './importedUser.ts'
import type { Lookup } from './importStore.ts'
import { countKept } from './importSummary.ts'
import {
  type Assignment,
  checkNamed,
  type GroupAssignment,
  type Held,
  mayGet,
  type Note,
  noteFor,
  type Plan,
  type PlannedUser,
} from './plan.ts'
import { checkRole } from './planRoles.ts'

/** All roles that the file gives to users. */
export const assignmentsIn = ({ user_group_assignments, channel_assignments }: DirectoryFile): Assignment[] => [
  ...user_group_assignments.map((entry) => ({
    ...heldIn(entry),
    group: entry.value.group_id,
    source: entry.value.source,
  })),
  ...channel_assignments.map((entry) => ({ ...heldIn(entry), channel: entry.value.channel_id })),
]

const heldIn = ({ index, value }: Entry<'user_group_assignments' | 'channel_assignments'>): Held => ({
  userId: value.user_id,
  index,
  role: value.role_id,
})

/** The section of the file that an assignment is from. */
export const sectionOf = (one: Assignment) => ('group' in one ? 'user_group_assignments' : 'channel_assignments')

/** The key of an assignment. */
export const keyOf = (one: Assignment): Key =>
  'group' in one
    ? groupAssignmentKey(one.userId, one.group, one.role)
    : channelAssignmentKey(one.userId, one.channel, one.role)

type Living = Exclude<PlannedUser, { kind: 'gone' }>

/** The user that a record names. Notes a fault if there is no such user. */
export function userNamed(plan: Plan, id: string, note: Note, property = 'user_id'): PlannedUser | undefined {
  checkNamed(plan, 'users', id, note, property)
  return plan.users.get(id)
}

/** A stored user who can get a role or task; undefined for users who are gone or could not come. */
export function livingUser({ context, users }: Plan, stored: Lookup, id: string): UserRecord | undefined {
  const user = userIn(stored, id)
  return user && !isGone(user, context.now) && users.get(id)?.kind !== 'gone' ? user : undefined
}

/** Notes a fault if a stored user who is not active would get something new. */
export function checkMayGet(plan: Plan, user: PlannedUser, held: Key, note: Note): void {
  if (user.kind === 'kept' && !mayGet(user, user) && !plan.held(held)) note('user_id', 'names a user who is not active')
}

/** Decides what becomes of the roles that users have in user groups and on channels. */
export function planAssignments(plan: Plan): void {
  for (const one of assignmentsIn(plan.file)) {
    const note = noteFor(plan, sectionOf(one), one.index)
    checkPlace(plan, one, note)
    const user = userNamed(plan, one.userId, note)
    if (user && user.kind !== 'gone') planAssignment(plan, one, user)
    else plan.summary[sectionOf(one)].skipped++
  }
}

/** Notes faults of the group or channel, and of the role. What a user holds already need not be assignable. */
function checkPlace(plan: Plan, one: Assignment, note: Note): void {
  const isHeld = plan.held(keyOf(one)) !== undefined
  if ('group' in one) {
    checkNamed(plan, 'user_groups', one.group, note, 'group_id')
    const isGiven = !isHeld && one.source !== 'PRIMARY'
    checkRole(plan, { role_id: one.role, scope: 'USER_GROUPS', isGiven }, note)
  } else {
    checkNamed(plan, 'channels', one.channel, note, 'channel_id')
    checkRole(plan, { role_id: one.role, scope: 'CHANNELS', isGiven: !isHeld }, note)
  }
}

function planAssignment(plan: Plan, one: Assignment, user: Living): void {
  const note = noteFor(plan, sectionOf(one), one.index)
  const inGroup = 'group' in one ? one : undefined
  if (inGroup && isPrimary(plan, user, inGroup)) planPrimary(plan, inGroup, user)
  else if (inGroup?.source === 'PRIMARY') note('source', 'can be PRIMARY only in the primary group, as a member')
  else {
    checkMayGet(plan, user, keyOf(one), note)
    if (user.kind === 'new') user.fresh.assignments.push(one)
    else plan.assignments.push(one)
  }
}

/** A primary membership comes with the user. A record with another source says what remains of it when the primary group changes. */
function planPrimary({ summary }: Plan, { index, group, source }: GroupAssignment, user: Living): void {
  if (user.kind === 'new') {
    if (source !== 'PRIMARY') user.fresh.user.primary_was = source
    user.fresh.primaryRows++
  } else {
    const isSame = source === 'PRIMARY' ? group === user.primary : source === user.primary_was
    countKept(summary, { section: 'user_group_assignments', index }, isSame ? [] : ['source'])
  }
}

/** Whether an assignment follows from the primary group: the present one, or that of the file if the API has changed it since. */
function isPrimary({ reference }: Plan, user: Living, { group, role, source }: GroupAssignment): boolean {
  if (role !== reference.organisation.predefined.USER_GROUP_MEMBER) return false
  if (user.kind === 'new') return group === user.fresh.user.primary_user_group_id
  return group === user.primary || (source === 'PRIMARY' && group === user.wanted)
}
