import * as keys from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import { type Task, taskFields, taskState } from '../tasks/task.ts'
import { bodyFrom, type TaskBody } from '../tasks/taskBody.ts'
import { dueDateFaults, dueDateFrom } from '../tasks/taskRules.ts'
import type { FileRecord } from './directoryFile.ts'
import type { Draft } from './draft.ts'
import { type AddFault, addFaultTo, checkMayReceive, isLeftOut, userNamed } from './draftFaults.ts'
import { countKept, differing, propertiesOf } from './importSummary.ts'
import { type Lookup, lookup } from './lookup.ts'

/** Decides what becomes of tasks and their assignments: a task is never without one. */
export async function draftTasks(draft: Draft): Promise<void> {
  const { file, summary } = draft
  const named = new Set(file.task_assignments.map(({ value }) => value.task_id))
  const tasks = new Set(file.tasks.map(({ value }) => value.id))
  const stored = await lookup(draft.context.store, [
    ...[...named, ...tasks].map((id) => keys.taskKey(id)),
    ...file.tasks.flatMap(({ value }) => externalKeysOf(value)),
  ])
  draftRecipients(draft, tasks, stored)
  for (const { index, value } of file.tasks) {
    const addFault = addFaultTo(draft, 'tasks', index)
    const body = checkedBody(value, addFault)
    userNamed(draft, value.author_id, addFault, 'author_id')
    checkExternalId(value, stored, addFault)
    const task = taskFrom({ ...value, body }, draft.context.now)
    const state = taskState(stored(keys.taskKey(value.id)))
    if (state) countKept(summary, { section: 'tasks', index }, differing(propertiesOf(value), task, state.task))
    else if (stored(keys.taskKey(value.id))) addFault('id', 'is still being deleted: import again in a minute')
    else if (!named.has(value.id)) addFault('id', 'is a task without assignments')
    else draft.tasks.push({ task, index })
  }
}

const externalKeysOf = ({ author_id, external_id }: FileRecord<'tasks'>['value']): Key[] =>
  external_id ? [keys.taskExternalIdKey(author_id, external_id)] : []

/** Faults where another task of its author has the external id. */
function checkExternalId(task: FileRecord<'tasks'>['value'], stored: Lookup, addFault: AddFault): void {
  const held = externalKeysOf(task).flatMap((key) => stored(key) ?? [])
  if (held.some(({ owner }) => owner !== task.id))
    addFault('external_id', 'must not belong to another task of its author')
}

/** Drafts the recipients of each task. */
function draftRecipients(draft: Draft, tasks: ReadonlySet<string>, stored: Lookup): void {
  for (const { index, value } of draft.file.task_assignments) {
    const { task_id, user_id, progress_status } = value
    const addFault = addFaultTo(draft, 'task_assignments', index)
    const isKnown = tasks.has(task_id) || taskState(stored(keys.taskKey(task_id))) || isLeftOut(draft, 'tasks', task_id)
    if (!isKnown) addFault('task_id', 'must name a task')
    const user = userNamed(draft, user_id, addFault)
    if (user) checkMayReceive(draft, user, keys.taskAssignmentKey(user_id, task_id), addFault)
    const all = draft.recipients.get(task_id) ?? []
    all.push({ user_id, index, progress_status: progress_status ?? undefined })
    draft.recipients.set(task_id, all)
  }
}

/** Faults of a task that its schema does not see; returns its body as it is stored. */
function checkedBody({ body: sent, due_at }: FileRecord<'tasks'>['value'], addFault: AddFault): TaskBody {
  const { body, faults } = bodyFrom(sent)
  for (const { property, message } of [...faults, ...(due_at ? dueDateFaults(due_at) : [])]) addFault(property, message)
  return body
}

type Sound = Omit<FileRecord<'tasks'>['value'], 'body'> & { body: TaskBody }

const taskFrom = ({ id, author_id, due_at, ...sent }: Sound, now: string): Task =>
  taskFields.create({ ...sent, due_at: dueDateFrom(due_at) }, { id, author_id, created_at: now, updated_at: now })
