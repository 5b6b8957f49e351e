import { retrying, slices } from '../base/flow.ts'
import { taskAssignmentKey } from '../table/keys.ts'
import type { Action, Store } from '../table/store.ts'
import { MOST_ACTIONS } from '../table/transactions.ts'
import { endWork, isLate, moveOn, readEntry, type Work } from '../table/work.ts'
import {
  type Counts,
  countAdded,
  readTask,
  recipientsTold,
  type Task,
  type TaskState,
  taskCreation,
} from '../tasks/task.ts'
import {
  assignmentCreation,
  countsOf,
  namelessAssignment,
  placedAssignment,
  RECIPIENTS_AT_ONCE,
  taskAssignments,
} from '../tasks/taskAssignment.ts'
import { readUser, type UserRecord, users as userRecords } from '../users/user.ts'
import { nameAmongRecipients } from '../users/userSearch.ts'
import {
  type Addition,
  additionEntries,
  isMeant,
  type NewAddition,
  noteAhead,
  requireSettled,
  STEP,
  statusOf,
} from './notedRecipients.ts'

/** Gives a task to users who are still as they were read: writes their assignments, and counts them on the task. */
export function additionOf(state: TaskState, users: readonly UserRecord[], now: string): Action[] {
  const { actions, counts } = assignmentsOf(state.task, users, { now })
  const ids = users.map(({ id }) => id)
  const told = recipientsTold(state.task.id, state.last, 'added', ids)
  return [...actions, ...users.map(userRecords.unchanged), countAdded(state, counts, told)]
}

function assignmentsOf(
  task: Task,
  users: readonly UserRecord[],
  { now, progress }: Pick<NewAddition, 'now' | 'progress'>,
): { actions: Action[]; counts: Counts } {
  const statuses = users.map(({ id }) => statusOf(progress, id))
  const actions = users.map((user, n) => assignmentCreation(task, user, now, statuses[n]))
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
    ...first.map(userRecords.unchanged),
    ...entries.slice(0, ENTRIES - also.length).map((put) => ({ put })),
  ])
  return entries
}

/**
 * Adds the users of an entry, as far as there is time. Each step moves the entry on: no user is added twice, even if
 * the author removes them meanwhile. While one step is written, the next one is read. The last step looks at the users again.
 */
export async function finishAdding(work: Work, noted: Addition): Promise<void> {
  const placed: Placed = new Map()
  let next: Step | undefined = stepOf(work, noted)
  while (next && !isLate(work)) {
    let known: Step | undefined = next
    next = await retrying(async () => {
      const step = known ?? stepOf(work, await readEntry(work.store, noted), true)
      known = undefined
      return step && addNext(work, step, placed)
    })
  }
}

type Step = NonNullable<ReturnType<typeof stepOf>>
/** The places that this process has given to assignments of an entry, by user. */
type Placed = Map<string, string>

/** The next users of an entry, and what is read for them. Few have the task already: only after a failed write it is read who. */
function stepOf({ store, now }: Work, entry: Addition | undefined, isAgain = false) {
  if (!entry) return undefined
  const some = entry.users.slice(0, STEP)
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
async function addNext(work: Work, { entry, some, reading }: Step, placed: Placed): Promise<Step | undefined> {
  const { left, progress, added = [] } = entry
  const [state, records, held] = await reading
  if (!state || !isMeant(entry, state)) return work.store.write([leaving(work, entry)]).then(() => undefined)
  if (some.length === 0) return endAdding(work, entry, placed).then(() => undefined)
  await requireSettled(work.store, state)
  // Users who were active when this began get the task in any state; only users who are gone for good cannot.
  const fresh = records.flatMap((user, index) => (user && !held[index] ? [user] : []))
  const { actions, counts } = assignmentsOf(state.task, fresh, { now: entry.at, progress })
  const rest = {
    users: entry.users.slice(some.length),
    left: left - some.length,
    added: [...added, ...fresh.map(({ id }) => id)],
  }
  const next = stepOf(work, { ...entry, ...rest })
  await work.store.write([
    ...actions,
    countAdded(state, { ...counts, left: -some.length }),
    moveOn(work, entry, rest, { left }),
  ])
  for (const user of fresh) placed.set(user.id, nameAmongRecipients(user).found)
  return next
}

/**
 * Ends an entry whose users all have their assignments. The steps do not check that users are still as they were read, which
 * would cost as much as the assignments. So all of them are read once more: a rename or purge before this read shows in it,
 * and one after it finds the assignments by itself. An overtaken worker cannot add any: the entry has moved on.
 */
async function endAdding({ store }: Work, entry: Addition, placed: Placed): Promise<void> {
  const { task, left, added = [] } = entry
  const users = await Promise.all(added.map((id) => userRecords.read(store, id)))
  const isRight = (user: UserRecord | undefined) => user && nameAmongRecipients(user).found === placed.get(user.id)
  const unsure = added.filter((_, nth) => !isRight(users[nth]))
  for (const some of slices(unsure, RECIPIENTS_AT_ONCE)) await correctPlaces(store, task, some)
  await store.write([endWork(entry, { left })])
}

/** Moves assignments to the places of their users' present names; behind all names where the user is gone for good. */
const correctPlaces = (store: Store, task: string, ids: readonly string[]): Promise<void> =>
  retrying(async () => {
    const found = await Promise.all(
      ids.map((id) => Promise.all([store.get(taskAssignmentKey(id, task)), userRecords.read(store, id)])),
    )
    const actions = found.flatMap(([item, user]) => {
      // The author may have removed it.
      if (!item) return []
      // Past their deadline users still have a record: the purge removes it, and then finds the assignment.
      return user ? placedAssignment(item, user) : namelessAssignment(item)
    })
    if (actions.length > 0) await store.write(actions)
  })

/** Removes an entry without effect, or leaves it until no call can be about to decide it. */
const leaving = (work: Work, entry: Addition): Action =>
  entry.kept !== undefined && entry.kept > work.clock().toISOString()
    ? moveOn(work, entry, { due: entry.kept }, { left: entry.left })
    : endWork(entry)
