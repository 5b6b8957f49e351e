import * as keys from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import type { Entry } from './directoryFile.ts'
import { countKept } from './importSummary.ts'
import { type Assignment, checkNamed, type KnownUser, mayGet, type Note, noting, type Plan } from './plan.ts'
import { checkRole } from './planRoles.ts'

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

/** Faults where a record names a group or channel that does not exist. */
export function checkPlaces(
  plan: Plan,
  { channel_id, group_id }: { channel_id?: string; group_id?: string },
  note: Note,
): void {
  if (channel_id !== undefined) checkNamed(plan, 'channels', channel_id, note, 'channel_id')
  if (group_id !== undefined) checkNamed(plan, 'user_groups', group_id, note, 'group_id')
}

/** Decides what becomes of the roles in user groups. */
export function planGroupAssignments(plan: Plan): void {
  for (const entry of plan.file.user_group_assignments) {
    const note = noting(plan, 'user_group_assignments', entry.index)
    const { group_id, role_id, user_id, source } = entry.value
    checkPlaces(plan, { group_id }, note)
    checkRole(plan, { role_id, scope: 'USER_GROUPS', isGiven: source !== 'PRIMARY' }, note)
    const user = userNamed(plan, user_id, note)
    if (user?.kind === 'gone') plan.summary.user_group_assignments.skipped++
    else if (user) planGroupAssignment(plan, entry, user, note)
  }
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
  return group_id === user.primary || (source === 'PRIMARY' && group_id === user.given)
}

/** Decides what becomes of the roles on channels. */
export function planChannelAssignments(plan: Plan): void {
  for (const { index, value } of plan.file.channel_assignments) {
    const note = noting(plan, 'channel_assignments', index)
    const { channel_id: channel, role_id: role, user_id: userId } = value
    checkPlaces(plan, { channel_id: channel }, note)
    checkRole(plan, { role_id: role, scope: 'CHANNELS', isGiven: true }, note)
    const user = userNamed(plan, userId, note)
    if (user?.kind === 'gone') plan.summary.channel_assignments.skipped++
    else if (user) {
      checkMayGet(plan, user, keys.channelAssignmentKey(userId, channel, role), note)
      planAssignment(plan, user, { userId, index, channel, role })
    }
  }
}

function planAssignment(plan: Plan, user: Living, assignment: Assignment): void {
  if (user.kind === 'new') user.fresh.assignments.push(assignment)
  else plan.assignments.push(assignment)
}
