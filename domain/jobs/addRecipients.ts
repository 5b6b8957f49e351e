import { refuse, StaleRead } from '../base/errors.ts'
import { retrying, slices } from '../base/flow.ts'
import { is } from '../table/expressions.ts'
import { taskKey } from '../table/keys.ts'
import type { Action, Store } from '../table/store.ts'
import { MOST_ACTIONS } from '../table/transactions.ts'
import { afterCalls, endWork, isLate, moveOn, readEntry, type Work } from '../table/work.ts'
import {
  type Counts,
  countAdded,
  readTask,
  recipientsTold,
  stateOf,
  type Task,
  type TaskState,
  taskCreation,
} from '../tasks/task.ts'
import { assignmentCreation, countsOf, RECIPIENTS_AT_ONCE, taskAssignments } from '../tasks/taskAssignment.ts'
import { readUser, type UserRecord } from '../users/user.ts'
import { type Addition, additionEntries, type NewAddition, statusOf } from './recipientEntries.ts'
import { requireSettled } from './removeRecipients.ts'

/** Entries of one transaction: their ids stay below the 4 MB that it may hold. */
const ENTRIES_AT_ONCE = MOST_ACTIONS - 10

/** The writes that give a task to users: their assignments, and what the task counts of them. */
export function additionOf(state: TaskState, users: readonly UserRecord[], now: string): Action[] {
  const { actions, counts } = assignmentsOf(state.task, users, { now })
  const ids = users.map(({ id }) => id)
  return [...actions, countAdded(state, counts, recipientsTold(state.task.id, state.last, 'added', ids))]
}

function assignmentsOf(
  task: Task,
  users: readonly UserRecord[],
  { now, progress }: Pick<NewAddition, 'now' | 'progress'>,
): { actions: Action[]; counts: Counts } {
  const statuses = users.map(({ id }) => statusOf(progress, id))
  const actions = users.flatMap((user, n) => assignmentCreation(task, user, now, statuses[n]))
  return { actions, counts: countsOf(statuses) }
}

/** Recipients who come with a new task, where they are too many for its transaction. */
export const FIRST = 30
/** Entries of work beside them, the task, its event and its external id. */
const ENTRIES = MOST_ACTIONS - 2 * FIRST - 3

/**
 * Creates a task: its first recipients come with it, in one transaction with the entries of work for the others, which it
 * answers. `known` are the records of the first users: of all of them, where they fit. `also` goes with the task.
 */
export async function writeNewTask(
  store: Store,
  { task, users, also = [], ...addition }: NewAddition & { task: Task; also?: readonly Action[] },
  known: readonly UserRecord[],
): Promise<Addition[]> {
  const first = users.length <= RECIPIENTS_AT_ONCE - also.length ? known : known.slice(0, FIRST)
  const rest = users.slice(first.length)
  const entries = additionEntries({ ...addition, task, users: rest })
  const { actions, counts } = assignmentsOf(task, first, addition)
  // Without the task they have no effect, and are removed: so those that do not fit beside it come before it.
  await noteAhead(store, entries.slice(ENTRIES - also.length))
  await store.write([
    ...also,
    ...taskCreation(task, rest.length > 0 ? { ...counts, left: rest.length } : counts, users),
    ...actions,
    ...entries.slice(0, ENTRIES - also.length).map((put) => ({ put })),
  ])
  return entries
}

/** Writes entries that have no effect before another write refers to them. It may come as late as the call lasts. */
async function noteAhead(store: Store, entries: readonly Addition[]): Promise<void> {
  const waiting = entries.map((entry) => ({ ...entry, kept: afterCalls(entry.due ?? entry.at) }))
  for (const some of slices(waiting, ENTRIES_AT_ONCE))
    await store.write(
      some.map((put) => ({ put })),
      'aside',
    )
}

/**
 * Notes users who get a task, where they are too many for one transaction: from here on all of them will get it. Entries
 * that do not fit are written ahead, and have no effect until their mark is on the task. `last` is the task's last event.
 */
export async function beginAdding(store: Store, addition: NewAddition, last?: string): Promise<Addition[]> {
  const { task, id: mark, users } = addition
  const noted = additionEntries(addition)
  const isMuch = noted.length > ENTRIES_AT_ONCE
  const entries = isMuch ? noted.map((entry) => ({ ...entry, mark })) : noted
  const noting: Action = {
    update: taskKey(task.id),
    add: { left: users.length, ...(isMuch ? { marks: new Set([mark]) } : {}) },
    if: is({ 'data/created_at': task.created_at, event: last }),
    otherwise: (found) =>
      stateOf(found)?.task.created_at === task.created_at ? new StaleRead() : refuse('TASK_NOT_FOUND', 'task_id'),
    event: recipientsTold(task.id, last, 'added', users),
  }
  await noteAhead(store, entries.slice(ENTRIES_AT_ONCE))
  await store.write([noting, ...entries.slice(0, ENTRIES_AT_ONCE).map((put) => ({ put }))])
  return entries
}

/**
 * Adds the users of an entry, as far as there is time. Each step moves the entry on: no user is added twice, even if
 * the author removes them meanwhile. While one step is written, the next one is read.
 */
export async function finishAdding(work: Work, noted: Addition): Promise<void> {
  let next: Step | undefined = stepOf(work, noted)
  while (next && !isLate(work)) {
    let known: Step | undefined = next
    next = await retrying(async () => {
      const step = known ?? stepOf(work, await readEntry(work.store, noted), true)
      known = undefined
      return step && addNext(work, step)
    })
  }
}

type Step = NonNullable<ReturnType<typeof stepOf>>

/** The next users of an entry, and what is read for them. Few have the task already: that is read where a write has failed. */
function stepOf({ store, now }: Work, entry: Addition | undefined, isAgain = false) {
  if (!entry) return undefined
  const some = entry.users.slice(0, RECIPIENTS_AT_ONCE)
  const reading = Promise.all([
    readTask(store, entry.task),
    Promise.all(some.map((id) => readUser(store, id, now))),
    Promise.all(isAgain ? some.map((id) => taskAssignments.read(store, id, entry.task)) : []),
  ])
  // Where the step before this one fails, nobody asks for what was read.
  reading.catch(() => {})
  return { entry, some, reading }
}

/** Adds the users of a step; answers the next one, if there is one. */
async function addNext(work: Work, { entry, some, reading }: Step): Promise<Step | undefined> {
  const { left, progress } = entry
  const [state, records, held] = await reading
  if (!state || !isMeant(entry, state)) return work.store.write([leaving(work, entry)]).then(() => undefined)
  await requireSettled(work.store, state)
  // Users who were active when this began get the task in any state; only users who are gone for good cannot.
  const fresh = records.flatMap((user, index) => (user && !held[index] ? [user] : []))
  const { actions, counts } = assignmentsOf(state.task, fresh, { now: entry.at, progress })
  const rest = { users: entry.users.slice(some.length), left: left - some.length }
  const next = rest.left > 0 ? stepOf(work, { ...entry, ...rest }) : undefined
  await work.store.write([
    ...actions,
    countAdded(state, { ...counts, left: -some.length }),
    next ? moveOn(work, entry, rest, { left }) : endWork(entry, { left }),
  ])
  return next
}

/** Whether an entry is about this task, and was decided: the call may have died before that. */
const isMeant = ({ born, mark }: Addition, { task, marks }: TaskState): boolean =>
  task.created_at === born && (mark === undefined || marks.has(mark))

/** Removes an entry without effect, or leaves it until no call can be about to decide it. */
const leaving = (work: Work, entry: Addition): Action =>
  entry.kept !== undefined && entry.kept > work.clock().toISOString()
    ? moveOn(work, entry, { due: entry.kept }, { left: entry.left })
    : endWork(entry)
