import * as keys from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import { taskExternalIdKey } from '../table/taskKeys.ts'
import { stateOf, type Task } from '../tasks/task.ts'
import { bodyFrom, type TaskBody } from '../tasks/taskBody.ts'
import { dueDateFaults, dueDateFrom } from '../tasks/taskRules.ts'
import type { Entry } from './directoryFile.ts'
import { type Lookup, lookup } from './importStore.ts'
import { countKept, differing, saidBy } from './importSummary.ts'
import { type Assignment, isUnsound, type KnownUser, mayGet, noting, type Plan, type Recipient } from './plan.ts'
import { checkPlaces } from './planReference.ts'
import { checkRole } from './planRoles.ts'

type Note = (property: string, reason: string) => void
type Living = Exclude<KnownUser, { kind: 'gone' }>

/** The user that a record names; a fault if there is none. */
export function userNamed(plan: Plan, id: string, note: Note, property = 'user_id'): KnownUser | undefined {
  const user = plan.users.get(id)
  if (!user && !isUnsound(plan, 'users', id)) note(property, 'names no user')
  return user
}

/** Faults where a stored user who is not active would get something new. */
export function checkMayGet(plan: Plan, user: KnownUser, held: Key, note: Note): void {
  if (user.kind === 'kept' && !mayGet(user, user) && !plan.held(held)) note('user_id', 'names a user who is not active')
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

/** Decides what becomes of tasks and their assignments: a task is never without one. */
export async function planTasks(plan: Plan): Promise<void> {
  const { file, summary } = plan
  const named = new Set(file.task_assignments.map(({ value }) => value.task_id))
  const stored = await lookup(plan.context.store, [
    ...[...named, ...file.tasks.map(({ value }) => value.id)].map((id) => keys.taskKey(id)),
    ...file.tasks.flatMap(({ value }) => externalKeysOf(value)),
  ])
  const tasks = new Map(file.tasks.map(({ value }) => [value.id, value]))
  const recipients = planRecipients(plan, tasks, stored)
  for (const { index, value } of file.tasks) {
    const note = noting(plan, 'tasks', index)
    const body = checkedBody(value, note)
    userNamed(plan, value.author_id, note, 'author_id')
    checkExternalId(value, stored, note)
    const task = taskFrom({ ...value, body }, plan.context.now)
    const state = stateOf(stored(keys.taskKey(value.id)))
    if (state) countKept(summary, { section: 'tasks', index }, differing(saidBy(value), task, state.task))
    else if (stored(keys.taskKey(value.id))) note('id', 'is still being deleted: import again in a minute')
    else if (!named.has(value.id)) note('id', 'is a task without assignments')
    else plan.tasks.push({ task, index, recipients: recipients.get(value.id) ?? [] })
  }
}

const externalKeysOf = ({ author_id, external_id }: Entry<'tasks'>['value']): Key[] =>
  external_id ? [taskExternalIdKey(author_id, external_id)] : []

/** Faults where another task of its author has the external id. */
function checkExternalId(task: Entry<'tasks'>['value'], stored: Lookup, note: Note): void {
  const held = externalKeysOf(task).flatMap((key) => stored(key) ?? [])
  if (held.some(({ owner }) => owner !== task.id)) note('external_id', 'belongs to another task of its author')
}

type Tasks = ReadonlyMap<string, Entry<'tasks'>['value']>

/** The recipients of the tasks to create, by task; those of stored tasks are kept in the plan. */
function planRecipients(plan: Plan, tasks: Tasks, stored: Lookup): Map<string, Recipient[]> {
  const recipients = new Map<string, Recipient[]>()
  for (const { index, value } of plan.file.task_assignments) {
    const { task_id, user_id, progress_status } = value
    const isStored = stateOf(stored(keys.taskKey(task_id))) !== undefined
    const task = tasks.get(task_id)
    const note = noting(plan, 'task_assignments', index)
    if (!isStored && !task && !isUnsound(plan, 'tasks', task_id)) note('task_id', 'names no task')
    const user = userNamed(plan, user_id, note)
    if (user) checkMayGet(plan, user, keys.taskAssignmentKey(user_id, task_id), note)
    const list = isStored ? plan.recipients : recipients
    const all = list.get(task_id) ?? []
    all.push({ user_id, index, progress_status: progress_status ?? undefined })
    list.set(task_id, all)
  }
  return recipients
}

/** Faults of a task that its schema does not see; answers its body as it is stored. */
function checkedBody({ body: given, due_at }: Entry<'tasks'>['value'], note: Note): TaskBody {
  const { body, faults } = bodyFrom(given)
  for (const { property, message } of [...faults, ...(due_at ? dueDateFaults(due_at) : [])]) note(property, message)
  return body
}

type Sound = Omit<Entry<'tasks'>['value'], 'body'> & { body: TaskBody }

const taskFrom = ({ id, external_id, title, body, author_id, due_at }: Sound, now: string): Task => ({
  id,
  external_id: external_id ?? null,
  title,
  body,
  author_id,
  due_at: dueDateFrom(due_at),
  settings: null,
  created_at: now,
  updated_at: now,
})
