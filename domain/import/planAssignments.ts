import * as keys from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import type { Entry } from './directoryFile.ts'
import { countKept } from './importSummary.ts'
import { type Assignment, checkNamed, type KnownUser, mayGet, type Note, noting, type Plan } from './plan.ts'
import { checkHeld } from './planRoles.ts'

type Living = Exclude<KnownUser, { kind: 'gone' }>

/** The user that a record names; a fault if there is none. */
export function userNamed(plan: Plan, id: string, note: Note, property = 'user_id'): KnownUser | undefined {
  checkNamed(plan, 'users', id, note, property)
  return plan.users.get(id)
}

/** Faults where a stored user who is not active would get something new. */
export function checkMayGet(plan: Plan, user: KnownUser, held: Key, note: Note): void {
  if (user.kind === 'kept' && !mayGet(user, user) && !plan.held(held)) note('user_id', 'names a user who is not active')
}

/** Decides what becomes of the roles that users have in user groups and on channels. */
export function planAssignments(plan: Plan): void {
  for (const entry of plan.file.user_group_assignments)
    planRole(plan, 'user_group_assignments', entry, (user, note) => planGroupAssignment(plan, entry, user, note))
  for (const entry of plan.file.channel_assignments)
    planRole(plan, 'channel_assignments', entry, (user, note) => {
      const { channel_id: channel, role_id: role, user_id: userId } = entry.value
      checkMayGet(plan, user, keys.channelAssignmentKey(userId, channel, role), note)
      planAssignment(plan, user, { userId, index: entry.index, channel, role })
    })
}

type RoleSection = 'user_group_assignments' | 'channel_assignments'

/** Checks what a record names, and plans its role unless the user is gone or did not come. */
function planRole(
  plan: Plan,
  section: RoleSection,
  { index, value }: Entry<RoleSection>,
  planFor: (user: Living, note: Note) => void,
): void {
  const note = noting(plan, section, index)
  checkHeld(plan, value, note, !('source' in value && value.source === 'PRIMARY'))
  const user = userNamed(plan, value.user_id, note)
  if (!user || user.kind === 'gone') plan.summary[section].skipped++
  else planFor(user, note)
}

function planGroupAssignment(plan: Plan, entry: Entry<'user_group_assignments'>, user: Living, note: Note): void {
  const { index, value } = entry
  const { group_id: group, role_id: role, user_id: userId, source } = value
  if (isPrimary(plan, user, value)) planPrimary(plan, entry, user)
  else if (source === 'PRIMARY') note('source', 'can be PRIMARY only in the primary group, as a member')
  else {
    checkMayGet(plan, user, keys.groupAssignmentKey(userId, group, role), note)
    planAssignment(plan, user, { userId, index, group, role, source })
  }
}

/** It comes with the user. One with another source is what it becomes when the primary group moves on. */
function planPrimary({ summary }: Plan, { index, value }: Entry<'user_group_assignments'>, user: Living): void {
  const { group_id, source } = value
  if (user.kind === 'new') {
    if (source !== 'PRIMARY') user.fresh.user.primary_was = source
    user.fresh.primaryRows++
  } else {
    const isSame = source === 'PRIMARY' ? group_id === user.primary : source === user.primary_was
    countKept(summary, { section: 'user_group_assignments', index }, isSame ? [] : ['source'])
  }
}

/** Whether it follows from the primary group, now or, where the API has moved that since, by the file. */
function isPrimary(
  plan: Plan,
  user: Living,
  { group_id, role_id, source }: Entry<'user_group_assignments'>['value'],
): boolean {
  if (role_id !== plan.organisation.predefined.USER_GROUP_MEMBER) return false
  if (user.kind === 'new') return group_id === user.fresh.user.primary_user_group_id
  return group_id === user.primary || (source === 'PRIMARY' && group_id === user.wanted)
}

function planAssignment(plan: Plan, user: Living, assignment: Assignment): void {
  if (user.kind === 'new') user.fresh.assignments.push(assignment)
  else plan.assignments.push(assignment)
}
