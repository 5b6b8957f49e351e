import { countKept } from './differences.ts'
import type { Entry } from './directoryFile.ts'
import { isUnsound, type KnownUser, noting, type Plan } from './plan.ts'
import { checkPlaces } from './planReference.ts'
import { checkRole } from './planRoles.ts'

type Note = (property: string, reason: string) => void

/** The user whom a record names; a fault if there is none. */
export function userNamed(plan: Plan, id: string, note: Note, property = 'user_id'): KnownUser | undefined {
  const user = plan.users.get(id)
  if (!user && !isUnsound(plan, 'users', id)) note(property, 'names no user')
  return user
}

/** Decides what becomes of the roles in user groups. */
export function planGroupAssignments(plan: Plan): void {
  for (const entry of plan.file.user_group_assignments) {
    const note = noting(plan, 'user_group_assignments', entry.index)
    const { group_id, role_id, source } = entry.value
    checkPlaces(plan, { group_id }, note)
    checkRole(plan, { role_id, scope: 'USER_GROUPS', isGiven: source !== 'PRIMARY' }, note)
    const user = userNamed(plan, entry.value.user_id, note)
    if (user?.kind === 'gone') plan.summary.user_group_assignments.skipped++
    else if (user) planGroupAssignment(plan, entry, user, note)
  }
}

type Living = Exclude<KnownUser, { kind: 'gone' }>

function planGroupAssignment(plan: Plan, entry: Entry<'user_group_assignments'>, user: Living, note: Note): void {
  const { index, value } = entry
  const { group_id: group, role_id: role, source, user_id: userId } = value
  const tally = plan.summary.user_group_assignments
  if (isPrimary(plan, user, value)) {
    countPrimary(plan, entry, user)
  } else if (source === 'PRIMARY') note('source', 'can be PRIMARY only in the primary group, as a member')
  else if (user.kind === 'new' && user.fresh.groups.length < MOST_TOGETHER) {
    user.fresh.groups.push({ group, role, source })
    tally.created++
  } else plan.later.push({ userId, index, group, role, source })
}

/** It comes in with the user; one given otherwise as well is what it becomes when the primary group moves on. */
function countPrimary({ summary }: Plan, { index, value }: Entry<'user_group_assignments'>, user: Living): void {
  const { group_id, source } = value
  if (user.kind === 'new') {
    if (source !== 'PRIMARY') user.fresh.user.primary_was = source
    summary.user_group_assignments.created++
  } else {
    const isSame = source === 'PRIMARY' ? group_id === user.primary : source === user.primary_was
    countKept(summary, { section: 'user_group_assignments', index }, isSame ? [] : ['source'])
  }
}

/**
 * Assignments in groups, and on channels, that come to exist together with their user, each with two counts: a transaction
 * takes that many. He gets the others right after.
 */
const MOST_TOGETHER = 20

/** Whether it is what follows from the primary group, now or, where the API has moved that since, by the file. */
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
  const tally = plan.summary.channel_assignments
  for (const { index, value } of plan.file.channel_assignments) {
    const note = noting(plan, 'channel_assignments', index)
    const { channel_id: channel, role_id: role, user_id: userId } = value
    checkPlaces(plan, { channel_id: channel }, note)
    checkRole(plan, { role_id: role, scope: 'CHANNELS', isGiven: true }, note)
    const user = userNamed(plan, userId, note)
    if (user?.kind === 'gone') tally.skipped++
    else if (user?.kind === 'kept' || (user && user.fresh.channels.length >= MOST_TOGETHER))
      plan.later.push({ userId, index, channel, role })
    else if (user) {
      user.fresh.channels.push({ channel, role })
      tally.created++
    }
  }
}
