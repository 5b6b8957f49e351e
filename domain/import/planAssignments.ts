import { type Assignment, assignmentKey, assignmentsIn, type GroupAssignment, sectionOf } from './importedAssignment.ts'
import { countKept } from './importSummary.ts'
import { checkMayGet, checkNamed, type Note, noteFor, type Plan, type PlannedUser, userNamed } from './plan.ts'
import { checkRole } from './planRoles.ts'

type Living = Exclude<PlannedUser, { kind: 'gone' }>

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
  const isHeld = plan.alreadyGiven(assignmentKey(one)) !== undefined
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
    checkMayGet(plan, user, assignmentKey(one), note)
    if (user.kind === 'new') user.newUser.assignments.push(one)
    else plan.assignments.push(one)
  }
}

/**
 * A primary membership is written with its user. A record with another source is kept for later: when the primary group
 * changes, the user stays a member by that source.
 */
function planPrimary({ summary }: Plan, { index, group, source }: GroupAssignment, user: Living): void {
  if (user.kind === 'new') {
    if (source !== 'PRIMARY') user.newUser.user.primary_was = source
    user.newUser.primaryRows++
  } else {
    const isSame = source === 'PRIMARY' ? group === user.primary : source === user.primary_was
    countKept(summary, { section: 'user_group_assignments', index }, isSame ? [] : ['source'])
  }
}

/** Whether an assignment follows from the primary group: the one now, or the one in the file if the API has changed it since. */
function isPrimary({ reference }: Plan, user: Living, { group, role, source }: GroupAssignment): boolean {
  if (role !== reference.organisation.predefined.USER_GROUP_MEMBER) return false
  if (user.kind === 'new') return group === user.newUser.user.primary_user_group_id
  return group === user.primary || (source === 'PRIMARY' && group === user.primaryInFile)
}
