import { taskKey } from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import { taskExternalIdKey } from '../table/taskKeys.ts'
import { stateOf, type Task, taskExternalIds, taskItem } from '../tasks/task.ts'
import { countsOf, type ProgressStatus, taskAssignmentItem } from '../tasks/taskAssignment.ts'
import { bodyFrom, type TaskBody } from '../tasks/taskBody.ts'
import { dueDateFaults, dueDateFrom } from '../tasks/taskRules.ts'
import { countKept, differing, saidBy } from './differences.ts'
import type { Entry } from './directoryFile.ts'
import { type Lookup, lookup } from './lookup.ts'
import { isUnsound, type KnownUser, noting, type Plan } from './plan.ts'
import { userNamed } from './planAssignments.ts'

type Note = (property: string, reason: string) => void

/** Decides what becomes of tasks and their assignments: a task is never without one. */
export async function planTasks(plan: Plan): Promise<void> {
  const { file, summary } = plan
  const named = new Set(file.task_assignments.map(({ value }) => value.task_id))
  const stored = await lookup(plan.context.store, [
    ...[...named, ...file.tasks.map(({ value }) => value.id)].map((id) => taskKey(id)),
    ...file.tasks.flatMap(({ value }) => externalKeysOf(value)),
  ])
  const given: Tasks = new Map(file.tasks.map(({ value }) => [value.id, value]))
  const recipients = recipientsOf(plan, given, stored)
  for (const { index, value } of file.tasks) {
    const note = noting(plan, 'tasks', index)
    const body = checkedBody(value, note)
    const author = userNamed(plan, value.author_id, note, 'author_id')
    checkExternalId(value, stored, note)
    const task = taskFrom({ ...value, body }, plan.context.now)
    const state = stateOf(stored(taskKey(value.id)))
    if (state) countKept(summary, { section: 'tasks', index }, differing(saidBy(value), task, state.task))
    else if (isNew(task, stored, { note, named }))
      planTask(plan, task, author?.kind === 'gone' ? [] : (recipients.get(value.id) ?? []))
  }
}

const externalKeysOf = ({ author_id, external_id }: Entry<'tasks'>['value']): Key[] =>
  external_id ? [taskExternalIdKey(author_id, external_id)] : []

/** Faults where another task of its author has the external id. */
function checkExternalId(task: Entry<'tasks'>['value'], stored: Lookup, note: Note): void {
  const held = externalKeysOf(task).flatMap((key) => stored(key) ?? [])
  if (held.some(({ owner }) => owner !== task.id)) note('external_id', 'belongs to another task of its author')
}

type Around = { note: Note; named: ReadonlySet<string> }

function isNew({ id }: Task, stored: Lookup, { note, named }: Around): boolean {
  if (stored(taskKey(id))) note('id', 'is still being deleted: import again in a minute')
  else if (!named.has(id)) note('id', 'is a task without assignments')
  else return true
  return false
}

function planTask(plan: Plan, task: Task, recipients: Recipient[]): void {
  const { summary, context } = plan
  if (recipients.length === 0) summary.tasks.skipped++
  else {
    const moments = { created_at: context.now, updated_at: context.now }
    plan.tasks.push({
      id: task.id,
      beside: taskExternalIds.take(task),
      put: taskItem(task, countsOf(recipients.map(({ progress_status }) => progress_status))),
      assignments: recipients.map(({ user, progress_status }) =>
        taskAssignmentItem(task, user, { progress_status, ...moments }),
      ),
    })
    summary.tasks.created++
    summary.task_assignments.created += recipients.length
  }
}

type Tasks = Map<string, Entry<'tasks'>['value']>
type Recipient = { user: { id: string; last_name: string }; progress_status: ProgressStatus }

/** The recipients of the tasks to create, by task; those of tasks that exist are noted for later. */
function recipientsOf(plan: Plan, given: Tasks, stored: Lookup): Map<string, Recipient[]> {
  const recipients = new Map<string, Recipient[]>()
  for (const entry of plan.file.task_assignments) {
    const { task_id, user_id } = entry.value
    const isThere = isStored(stored, task_id)
    const task = isThere ? undefined : given.get(task_id)
    const user = checkAssignment(plan, entry, isThere || task !== undefined)
    if (user?.kind === 'gone' || isOfNobody(plan, task)) plan.summary.task_assignments.skipped++
    else if (isThere) plan.laterTasks.push({ task_id, user_id, ...givenOf(entry) })
    else addTo(recipients, task_id, { user: { id: user_id, last_name: lastNameOf(user) }, ...progressOf(entry) })
  }
  return recipients
}

/** Without progress a new assignment is NEW, and one that is there stays as it is. */
const progressOf = ({ value }: Entry<'task_assignments'>) => ({ progress_status: value.progress_status ?? 'NEW' })
const givenOf = ({ index, value }: Entry<'task_assignments'>) => ({
  index,
  progress_status: value.progress_status ?? undefined,
})

const isStored = (stored: Lookup, task: string): boolean => stateOf(stored(taskKey(task))) !== undefined

/** By the name a recipient has his place in the task's list; where there is none, that is a fault of its own. */
const lastNameOf = (user: Exclude<KnownUser, { kind: 'gone' }> | undefined): string =>
  (user?.kind === 'new' ? user.fresh.user.last_name : user?.last_name) ?? ''

/** Faults where an assignment names no task or nobody; answers whom it names. */
function checkAssignment(
  plan: Plan,
  { index, value }: Entry<'task_assignments'>,
  isTask: boolean,
): KnownUser | undefined {
  const note = noting(plan, 'task_assignments', index)
  if (!isTask && !isUnsound(plan, 'tasks', value.task_id)) note('task_id', 'names no task')
  return userNamed(plan, value.user_id, note)
}

/** Whether nobody is left to whom a task that is yet to come would belong. */
const isOfNobody = ({ users }: Plan, task: Entry<'tasks'>['value'] | undefined): boolean =>
  task !== undefined && users.get(task.author_id)?.kind === 'gone'

function addTo<T>(lists: Map<string, T[]>, name: string, one: T): void {
  const list = lists.get(name) ?? []
  list.push(one)
  lists.set(name, list)
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
