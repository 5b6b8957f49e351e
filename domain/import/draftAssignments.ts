import type { Draft, DraftedUser } from './draft.ts'
import { type AddFault, addFaultTo, checkMayReceive, checkNamed, userNamed } from './draftFaults.ts'
import { checkRole } from './draftRoles.ts'
import { type Assignment, assignmentKey, assignmentsIn, type GroupAssignment, sectionOf } from './importedAssignment.ts'
import { countKept } from './importSummary.ts'

type Living = Exclude<DraftedUser, { kind: 'gone' }>

/** Decides what becomes of the roles that users have in user groups and on channels. */
export function draftAssignments(draft: Draft): void {
  for (const one of assignmentsIn(draft.file)) {
    const addFault = addFaultTo(draft, sectionOf(one), one.index)
    checkPlace(draft, one, addFault)
    const user = userNamed(draft, one.userId, addFault)
    if (user && user.kind !== 'gone') draftAssignment(draft, one, user)
    else draft.summary[sectionOf(one)].skipped++
  }
}

/** Adds faults of the group or channel, and of the role. What a user holds already need not be assignable. */
function checkPlace(draft: Draft, one: Assignment, addFault: AddFault): void {
  const isHeld = draft.alreadyGiven(assignmentKey(one)) !== undefined
  if ('group' in one) {
    checkNamed(draft, 'user_groups', one.group, addFault, 'group_id')
    const isGiven = !isHeld && one.source !== 'PRIMARY'
    checkRole(draft, { role_id: one.role, scope: 'USER_GROUPS', isGiven }, addFault)
  } else {
    checkNamed(draft, 'channels', one.channel, addFault, 'channel_id')
    checkRole(draft, { role_id: one.role, scope: 'CHANNELS', isGiven: !isHeld }, addFault)
  }
}

function draftAssignment(draft: Draft, one: Assignment, user: Living): void {
  const addFault = addFaultTo(draft, sectionOf(one), one.index)
  const inGroup = 'group' in one ? one : undefined
  if (inGroup && isPrimary(draft, user, inGroup)) draftPrimary(draft, inGroup, user)
  else if (inGroup?.source === 'PRIMARY') addFault('source', 'can be PRIMARY only in the primary group, as a member')
  else {
    checkMayReceive(draft, user, assignmentKey(one), addFault)
    if (user.kind === 'new') user.newUser.assignments.push(one)
    else draft.assignments.push(one)
  }
}

/**
 * A primary membership is written with its user. A record with another source is kept for later: when the primary group
 * changes, the user stays a member by that source.
 */
function draftPrimary({ summary }: Draft, { index, group, source }: GroupAssignment, user: Living): void {
  if (user.kind === 'new') {
    if (source !== 'PRIMARY') user.newUser.user.primary_was = source
    user.newUser.primaryRows++
  } else {
    const isSame = source === 'PRIMARY' ? group === user.primary : source === user.primary_was
    countKept(summary, { section: 'user_group_assignments', index }, isSame ? [] : ['source'])
  }
}

/** Whether an assignment follows from the primary group: the one now, or the one in the file if the API has changed it since. */
function isPrimary({ structure }: Draft, user: Living, { group, role, source }: GroupAssignment): boolean {
  if (role !== structure.organisation.predefined.USER_GROUP_MEMBER) return false
  if (user.kind === 'new') return group === user.newUser.user.primary_user_group_id
  return group === user.primary || (source === 'PRIMARY' && group === user.primaryInFile)
}
