import { retrying, slices } from '../base/flow.ts'
import { has } from '../table/expressions.ts'
import { taskKey } from '../table/keys.ts'
import type { Action, Store } from '../table/store.ts'
import { MOST_ACTIONS } from '../table/transactions.ts'
import {
  type Entry,
  endWork,
  idOfWork,
  isLate,
  moveOn,
  type Progress,
  readWork,
  type Work,
  workEntry,
} from '../table/work.ts'
import { countAdded, readTask, type Task, type TaskState, taskCreation } from '../tasks/task.ts'
import {
  assignmentCreation,
  countsOf,
  type ProgressStatus,
  RECIPIENTS_AT_ONCE,
  taskAssignments,
} from '../tasks/taskAssignment.ts'
import { readUser, type UserRecord } from '../users/user.ts'
import { requireSettled } from './removeRecipients.ts'

/** Users that one entry names: few enough that moving it on costs little beside the assignments themselves. */
const PER_ENTRY = 10 * RECIPIENTS_AT_ONCE
/** Entries of one transaction: their ids stay below the 4 MB that it may hold. */
const ENTRIES_AT_ONCE = MOST_ACTIONS - 10

type Addition = Entry<'recipients'>
/**
 * Users who get a task. Their assignments are created as of `now`; `begun` is when the call began, if that is later. Users
 * begin as NEW, unless `progress` says otherwise: only imports bring progress.
 */
type NewAddition = {
  task: Pick<Task, 'id' | 'created_at'>
  users: readonly string[]
  now: string
  id: string
  begun?: string
  progress?: Progress | undefined
}

const statusOf = (progress: Progress | undefined, user: string): ProgressStatus => progress?.[user] ?? 'NEW'
const progressOf = (progress: Progress, users: readonly string[]): Progress =>
  Object.fromEntries(users.map((user) => [user, statusOf(progress, user)]))

/** The writes that give a task to users: their assignments, and what the task counts of them. */
export function additionOf(state: TaskState, users: readonly UserRecord[], now: string, progress?: Progress): Action[] {
  if (users.length === 0) return []
  const { actions, statuses } = assignmentsOf(state.task, users, { now, progress })
  return [...actions, countAdded(state, countsOf(statuses))]
}

function assignmentsOf(
  task: Task,
  users: readonly UserRecord[],
  { now, progress }: Pick<NewAddition, 'now' | 'progress'>,
): { actions: Action[]; statuses: ProgressStatus[] } {
  const statuses = users.map(({ id }) => statusOf(progress, id))
  return { actions: users.flatMap((user, n) => assignmentCreation(task, user, now, statuses[n])), statuses }
}

/** The entries of work that give a task to users. A later task may reuse the id: `born` tells them apart. */
const additionEntries = ({ task, users, now, id, begun = now, progress }: NewAddition): Addition[] =>
  [...slices(users, PER_ENTRY)].map((some, nth) => {
    const begins = progress ? { progress: progressOf(progress, some) } : {}
    const work = { task: task.id, born: task.created_at, users: some, left: some.length, at: now, ...begins }
    return workEntry('recipients', `${id}-${nth}`, work, begun)
  })

/** Recipients who come with a new task, where they are too many for its transaction. */
export const FIRST = 30
/** Entries of work beside them, the task and its external id. */
const ENTRIES = MOST_ACTIONS - 2 * FIRST - 2

/**
 * Creates a task with its assignments, however many they are: the first come with the task, in one transaction with the
 * entries of work for the others. So it is never without one, and all of them get it, whatever happens to the call.
 * `known` are the records of the first users: of all of them, where they fit. Answers the entries.
 */
export async function writeNewTask(
  store: Store,
  { task, users, ...addition }: NewAddition & { task: Task },
  known: readonly UserRecord[],
): Promise<Addition[]> {
  const first = users.length <= RECIPIENTS_AT_ONCE ? known : known.slice(0, FIRST)
  const entries = additionEntries({ ...addition, task, users: users.slice(first.length) })
  const { actions, statuses } = assignmentsOf(task, first, addition)
  // Without the task they have no effect, and are removed: so those that do not fit beside it come before it.
  await noteAhead(store, entries.slice(ENTRIES))
  await store.write([...taskCreation(task, countsOf(statuses)), ...actions, ...entries.slice(0, ENTRIES).map(put)])
  return entries
}

/** Writes entries that have no effect before another write refers to them. */
async function noteAhead(store: Store, entries: readonly Addition[]): Promise<void> {
  for (const some of slices(entries, ENTRIES_AT_ONCE)) await store.write(some.map(put), 'aside')
}

const put = (entry: Addition): Action => ({ put: entry })

/**
 * Notes users who get a task, when they are too many for one transaction: from here on all of them will get it, whatever
 * happens to the call. Entries that do not fit into that transaction are written ahead; they have no effect
 * until it puts their mark on the task.
 */
export async function beginAdding(store: Store, addition: NewAddition): Promise<Addition[]> {
  const { task, id: mark } = addition
  const noted = additionEntries(addition)
  const isMuch = noted.length > ENTRIES_AT_ONCE
  const entries = isMuch ? noted.map((entry) => ({ ...entry, mark })) : noted
  const exists = { if: has('data'), otherwise: { code: 'TASK_NOT_FOUND', property: 'task_id' } } as const
  const marked: Action = isMuch
    ? { update: taskKey(task.id), add: { marks: new Set([mark]) }, ...exists }
    : { check: taskKey(task.id), ...exists }
  await noteAhead(store, entries.slice(ENTRIES_AT_ONCE))
  await store.write([marked, ...entries.slice(0, ENTRIES_AT_ONCE).map(put)])
  return entries
}

/** Entries that a call does itself at most, some 2,900 recipients; the schedule does the rest. */
const OWN_ENTRIES = 6

/** Does as much of the noted work as a call has time for. */
export async function finishEntries(work: Work, entries: readonly Addition[]): Promise<void> {
  for (const entry of entries.slice(0, OWN_ENTRIES)) await finishAdding(work, entry)
}

/**
 * Adds the users of an entry, as far as there is time. Each step moves the entry on: no user is added twice, even if
 * the author removes them meanwhile.
 */
export async function finishAdding(work: Work, noted: Addition): Promise<void> {
  let known: Addition | undefined = noted
  let isAll = false
  while (!isAll && !isLate(work)) {
    const left = await retrying(async (): Promise<Addition | undefined> => {
      const entry = known ?? (await readWork(work.store, 'recipients', idOfWork(noted)))
      known = undefined
      return entry && addNext(work, entry)
    })
    known = left
    isAll = left === undefined
  }
}

/** Adds the next users; answers the entry with those that are left, if there are any. */
async function addNext({ store, now }: Work, entry: Addition): Promise<Addition | undefined> {
  const { task, users, left } = entry
  const some = users.slice(0, RECIPIENTS_AT_ONCE)
  const [state, records, held] = await Promise.all([
    readTask(store, task),
    Promise.all(some.map((id) => readUser(store, id, now))),
    Promise.all(some.map((id) => taskAssignments.read(store, id, task))),
  ])
  if (!state || !isMeant(entry, state)) return store.write([endWork(entry)]).then(() => undefined)
  await requireSettled(store, state)
  // Users who were active when this began get the task in any state; only those who are gone for good cannot.
  const fresh = records.flatMap((user, index) => (user && !held[index] ? [user] : []))
  const rest = { users: users.slice(RECIPIENTS_AT_ONCE), left: users.length - some.length }
  await store.write([
    ...additionOf(state, fresh, entry.at, entry.progress),
    rest.left > 0 ? moveOn(entry, rest, { left }) : endWork(entry, { left }),
  ])
  return rest.left > 0 ? { ...entry, ...rest } : undefined
}

/** Whether an entry is about this task, and was decided: the call may have died before that. */
const isMeant = ({ born, mark }: Addition, { task, marks }: TaskState): boolean =>
  task.created_at === born && (mark === undefined || marks.has(mark))
