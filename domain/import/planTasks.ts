import { isRealDate } from '../attributes/attributeRules.ts'
import { taskKey } from '../store/keys.ts'
import type { Item } from '../store/store.ts'
import { type Task, taskAssignmentItem, taskItem } from '../tasks/task.ts'
import type { Entry } from './directoryFile.ts'
import { type Lookup, lookup } from './lookup.ts'
import { isUnsound, type KnownUser, noting, type Plan } from './plan.ts'
import { userNamed } from './planAssignments.ts'

type Note = (property: string, reason: string) => void

/** The most characters of the forms of a task's body together. */
const LONGEST_BODY = 50_000

/** Decides what becomes of tasks and their assignments: a task is never without one. */
export async function planTasks(plan: Plan): Promise<void> {
  const { file, summary } = plan
  const named = new Set(file.task_assignments.map(({ value }) => value.task_id))
  const stored = await lookup(
    plan.context.store,
    [...named, ...file.tasks.map(({ value }) => value.id)].map((id) => taskKey(id)),
  )
  const given: Tasks = new Map(file.tasks.map(({ value }) => [value.id, value]))
  const recipients = recipientsOf(plan, given, stored)
  for (const { index, value } of file.tasks) {
    const note = noting(plan, 'tasks', index)
    checkTask(value, note)
    const author = userNamed(plan, value.author_id, note, 'author_id')
    if (stored(taskKey(value.id))) summary.tasks.unchanged++
    else if (!named.has(value.id)) note('id', 'is a task without assignments')
    else planTask(plan, value, author?.kind === 'gone' ? [] : (recipients.get(value.id) ?? []))
  }
}

function planTask(plan: Plan, value: Entry<'tasks'>['value'], assignments: Item[]): void {
  const { summary, context } = plan
  if (assignments.length === 0) summary.tasks.skipped++
  else {
    plan.tasks.push({ id: value.id, put: taskItem(taskFrom(value, context.now)), assignments })
    summary.tasks.created++
    summary.task_assignments.created += assignments.length
  }
}

type Tasks = Map<string, Entry<'tasks'>['value']>

/** The assignments of the tasks to create, by task; those of tasks that exist are noted for later. */
function recipientsOf(plan: Plan, given: Tasks, stored: Lookup): Map<string, Item[]> {
  const recipients = new Map<string, Item[]>()
  for (const entry of plan.file.task_assignments) {
    const { value } = entry
    const isStored = stored(taskKey(value.task_id)) !== undefined
    const task = isStored ? undefined : given.get(value.task_id)
    const user = checkAssignment(plan, entry, isStored || task !== undefined)
    if (user?.kind === 'gone' || isOfNobody(plan, task)) plan.summary.task_assignments.skipped++
    else if (isStored) plan.laterTasks.push(newAssignment(plan, value))
    else addTo(recipients, value.task_id, newAssignment(plan, value))
  }
  return recipients
}

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

const newAssignment = (
  { context: { now } }: Plan,
  { task_id, user_id, progress_status }: Entry<'task_assignments'>['value'],
): Item =>
  taskAssignmentItem(task_id, user_id, { progress_status: progress_status ?? 'NEW', created_at: now, updated_at: now })

function addTo(lists: Map<string, Item[]>, name: string, item: Item): void {
  const list = lists.get(name) ?? []
  list.push(item)
  lists.set(name, list)
}

function checkTask({ body, due_at }: Entry<'tasks'>['value'], note: Note): void {
  const length = [body.plain, body.delta, body.html].reduce((sum, form) => sum + (form?.length ?? 0), 0)
  if (length > LONGEST_BODY) note('body', `must NOT have more than ${LONGEST_BODY} characters in all its forms`)
  if (!due_at) return
  const [wanted, other] =
    due_at.due_at_type === 'DATE' ? (['date', 'date_time'] as const) : (['date_time', 'date'] as const)
  if (!due_at[wanted]) note(`due_at.${wanted}`, 'is missing')
  if (due_at[other]) note(`due_at.${other}`, `must not be given with ${due_at.due_at_type}`)
  if (due_at.date && !isRealDate(due_at.date)) note('due_at.date', 'must be a date that the calendar has')
  if (due_at.date_time && Number.isNaN(Date.parse(due_at.date_time)))
    note('due_at.date_time', 'must be a moment that the calendar has')
}

const taskFrom = ({ id, external_id, title, body, author_id, due_at }: Entry<'tasks'>['value'], now: string): Task => ({
  id,
  external_id: external_id ?? null,
  title,
  body: Object.fromEntries(Object.entries(body).filter(([, form]) => form !== null)),
  author_id,
  due_at: dueFrom(due_at),
  created_at: now,
  updated_at: now,
})

function dueFrom(due: Entry<'tasks'>['value']['due_at']): Task['due_at'] {
  if (due?.date) return { due_at_type: 'DATE', date: due.date }
  if (due?.date_time) return { due_at_type: 'DATE_TIME', date_time: momentFrom(due.date_time) }
  return null
}

/** A moment in the one form that moments are stored in; one that is no moment has been found to be a fault. */
const momentFrom = (text: string): string => (Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString())
