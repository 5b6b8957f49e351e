import { refuse, StaleRead } from '../base/errors.ts'
import { chunksOf } from '../base/parallel.ts'
import { decideAgain } from '../base/retry.ts'
import { readUser, type UserRecord, users as userRecords } from '../people/records/user.ts'
import { nameAmongRecipients } from '../people/records/userSearch.ts'
import { requireUnchanged } from '../table/changes.ts'
import { is } from '../table/expressions.ts'
import { queueOf, taskAssignmentKey, taskKey, workKey } from '../table/keys.ts'
import { mostThatFit } from '../table/pack.ts'
import { readEntry, readQueue } from '../table/readWork.ts'
import type { Action, Store } from '../table/store.ts'
import { afterCalls, endWork, recordProgress, workEntry } from '../table/work.ts'
import type { Entry, ProgressByUser } from '../table/workKinds.ts'
import { inWrittenSteps, type Work } from '../work/steps.ts'
import { finishEarlierRemoval } from './removeRecipients.ts'
import {
  countAdded,
  readTask,
  recipientsEvent,
  type Task,
  type TaskCounts,
  type TaskState,
  taskCreation,
  taskState,
} from './task.ts'
import {
  assignmentCreation,
  countsOf,
  moveToPresentName,
  namelessAssignment,
  type ProgressStatus,
  RECIPIENTS_AT_ONCE,
  takerFor,
  taskAssignments,
} from './taskAssignment.ts'

// How users get a task: what is written for them. chooseRecipients.ts says which users get it.
//
// In the call: up to 48 users get it in one transaction (addAtOnce; writeNewTask for a new task). More users are noted as
// work, in one transaction that decides for all of them (noteRecipients, writeNewTask): entries of up to 490 users each, and
// `left` on the task counts those who have yet to get it. Entries that do not fit into that transaction are written before
// it (writeInAdvance). They do not count until it writes the id of their addition (`mark`) to the task (`marks`).
//
// As noted work: addNoted, run by the call or by a worker, adds 98 users of an entry in each step. The step also takes these
// users off the entry, so no user is added twice. The entry remembers in `added` who got the task.
//
// At the end: the last step reads the users of `added` again and corrects the assignments of those who were renamed or
// purged meanwhile. Then it deletes the entry.

/** The most users that one step adds: an action for each, and one each for the task and the entry. */
const USERS_PER_STEP = mostThatFit({ each: 1, besides: 2, hasEvents: false })
/** Users of one entry: few enough that writing the entry anew costs little compared with the assignments of a step. */
const USERS_PER_ENTRY = 5 * USERS_PER_STEP
/** Users added in the transaction of a new task, if it has too many users for one transaction. */
export const USERS_WITH_NEW_TASK = 30
/** Entries in the transaction of a new task, with these users, the task, its event, its external id, and `also` actions. */
const entriesWithNewTask = (also: number): number =>
  mostThatFit({ each: 1, besides: 2 * USERS_WITH_NEW_TASK + 3 + also, hasEvents: true })
/** Entries in the transaction that notes users, with the task and its event: more would take more than 4 MB. */
const ENTRIES_WITH_TASK = 90
/** Entries in a transaction of entries alone: with the progress of each user, entries are twice as large. */
const ENTRIES_IN_ADVANCE = 50

/** An entry of work that gives a task to users. */
export type RecipientsEntry = Entry<'recipients'>

/** Users who get a task. */
type NewRecipients = {
  task: Pick<Task, 'id' | 'created_at'>
  userIds: readonly string[]
  /** `created_at` of their assignments. */
  now: string
  /** A part of the entries' keys, to tell them from those of other calls. Also the id of their addition. */
  id: string
  /** When the call began, if that is later than `now`: the leases of entries count from then. */
  begun?: string
  /** Set by imports only, which do all of the work themselves. Without it, all users begin as NEW. */
  progress?: ProgressByUser | undefined
}

const statusOf = (progress: ProgressByUser | undefined, user: string): ProgressStatus => progress?.[user] ?? 'NEW'

/** Gives a task to users who are still as they were read, in one transaction: RECIPIENTS_AT_ONCE at most. */
export function addAtOnce(store: Store, state: TaskState, users: readonly UserRecord[], now: string): Promise<void> {
  const { actions, counts } = assignmentsOf(state.task, users, { now })
  const ids = users.map(({ id }) => id)
  const event = recipientsEvent(state.task.id, state.last, 'added', ids)
  return store.write([
    ...actions,
    ...users.map((one) => requireUnchanged(userRecords, one)),
    countAdded(state, counts, event),
  ])
}

function assignmentsOf(
  task: Task,
  users: readonly UserRecord[],
  { now, progress }: Pick<NewRecipients, 'now' | 'progress'>,
): { actions: Action[]; counts: TaskCounts } {
  const statuses = users.map(({ id }) => statusOf(progress, id))
  const actions = users.map((user, n) => assignmentCreation(task, user, now, statuses[n]))
  return { actions, counts: countsOf(statuses) }
}

/**
 * Creates a task with its first users, in one transaction, and returns the entries of work for the others. `firstUsers` are
 * the records of the first users: of all users, if they fit into the transaction. The actions of `also` go with the task.
 */
export async function writeNewTask(
  store: Store,
  { task, userIds, also = [], ...recipients }: NewRecipients & { task: Task; also?: readonly Action[] },
  firstUsers: readonly UserRecord[],
): Promise<RecipientsEntry[]> {
  const isSmall = userIds.length <= RECIPIENTS_AT_ONCE - also.length
  const first = isSmall ? firstUsers : firstUsers.slice(0, USERS_WITH_NEW_TASK)
  const others = userIds.slice(first.length)
  const entries = entriesFor({ ...recipients, task, userIds: others })
  const { actions, counts } = assignmentsOf(task, first, recipients)
  // They need no `mark`: without the task itself they do not count.
  const most = entriesWithNewTask(also.length)
  await writeInAdvance(store, entries.slice(most))
  await store.write([
    ...also,
    ...taskCreation(task, others.length > 0 ? { ...counts, left: others.length } : counts, userIds),
    ...actions,
    ...first.map((one) => requireUnchanged(userRecords, one)),
    ...entries.slice(0, most).map((put) => ({ put })),
  ])
  return entries
}

/**
 * Notes users who get a task, and returns the entries of work: once these are written, all of the users will get it.
 * `lastEvent` is the sort key of the task's last event, as it was read.
 */
export async function noteRecipients(
  store: Store,
  recipients: NewRecipients,
  lastEvent?: string,
): Promise<RecipientsEntry[]> {
  const { task, id, userIds } = recipients
  const plain = entriesFor(recipients)
  const isInParts = plain.length > ENTRIES_WITH_TASK
  const entries = isInParts ? plain.map((entry) => ({ ...entry, mark: id })) : plain
  const countLeft: Action = {
    update: taskKey(task.id),
    add: { left: userIds.length, ...(isInParts ? { marks: new Set([id]) } : {}) },
    if: is({ 'data/created_at': task.created_at, event: lastEvent }),
    otherwise: (found) =>
      taskState(found)?.task.created_at === task.created_at ? new StaleRead() : refuse('TASK_NOT_FOUND', 'task_id'),
    event: recipientsEvent(task.id, lastEvent, 'added', userIds),
  }
  await writeInAdvance(store, entries.slice(ENTRIES_WITH_TASK))
  await store.write([countLeft, ...entries.slice(0, ENTRIES_WITH_TASK).map((put) => ({ put }))])
  return entries
}

/**
 * The entries of work that give a task to users. `born` tells the task from a later one of the same id. Only the first entry
 * starts the stream's worker, which then does the others in turn.
 */
export function entriesFor({ task, userIds, now, id, begun = now, progress }: NewRecipients): RecipientsEntry[] {
  const taker = progress ? 'CALL' : takerFor(userIds.length)
  return [...chunksOf(userIds, USERS_PER_ENTRY)].map((some, nth) => {
    const begins = progress && { progress: Object.fromEntries(some.map((user) => [user, statusOf(progress, user)])) }
    const payload = { task: task.id, born: task.created_at, users: some, left: some.length, at: now, ...begins }
    return workEntry('recipients', task.id, payload, begun, {
      taker: taker === 'STREAM' && nth > 0 ? 'WORKER' : taker,
      suffix: `${id}-${nth}`,
    })
  })
}

/**
 * Writes entries before the transaction that makes them count. Workers must not delete them before the longest possible call is over:
 * until then its transaction may follow.
 */
export async function writeInAdvance(store: Store, entries: readonly RecipientsEntry[]): Promise<void> {
  const waiting = entries.map((entry) => ({ ...entry, kept: afterCalls(entry.due ?? entry.at) }))
  for (const some of chunksOf(waiting, ENTRIES_IN_ADVANCE))
    await store.write(
      some.map((put) => ({ put })),
      'housekeeping',
    )
}

/**
 * Whether an entry counts: it belongs to this task, not to an earlier one with its id; and if it is one of several of an addition,
 * the task names that addition.
 */
const belongsTo = ({ born: taskCreated, mark: addition }: RecipientsEntry, { task, additions }: TaskState): boolean =>
  task.created_at === taskCreated && (addition === undefined || additions.has(addition))

/** The entries with the users who have yet to get a task. */
export async function readNoted(store: Store, state: TaskState): Promise<RecipientsEntry[]> {
  if (!state.counts.left) return []
  const entries = await readQueue(store, queueOf(workKey('recipients', state.task.id)))
  return entries.filter((entry) => entry.kind === 'recipients').filter((entry) => belongsTo(entry, state))
}

/**
 * Adds the users of an entry, as far as there is time, and ends the entry. If another process does the same entry, only one of
 * the two writes each step: the other one reads the entry again.
 */
export async function addNoted(work: Work, noted: RecipientsEntry): Promise<void> {
  const written: WrittenNames = new Map()
  await inWrittenSteps<Step>(work, readStep(work, noted), {
    write: (step) => writeStep(work, step, written),
    readAgain: () => readStepAgain(work, noted),
  })
}

/** The sort keys that this process has written in assignments of an entry, by user. */
type WrittenNames = Map<string, string>

/** The next users of an entry, and the reads that are under way for them. */
type Step = ReturnType<typeof readStep>

/** Begins to read what the next step needs. Who has the task already is read only after a failed write: few have it. */
function readStep({ store, now }: Work, entry: RecipientsEntry, isAgain = false) {
  const ids = entry.users.slice(0, USERS_PER_STEP)
  const reading = Promise.all([
    readTask(store, entry.task),
    Promise.all(ids.map((id) => readUser(store, id, now))),
    Promise.all(isAgain ? ids.map((id) => taskAssignments.read(store, id, entry.task)) : []),
  ])
  // If the step before this one fails, nothing awaits this promise.
  reading.catch(() => {})
  return { entry, ids, reading }
}

async function readStepAgain(work: Work, noted: RecipientsEntry): Promise<Step | undefined> {
  const entry = await readEntry(work.store, noted)
  return entry && readStep(work, entry, true)
}

/** Adds the users of a step. Returns the next step, which is read while this one is written; undefined after the last. */
async function writeStep(work: Work, { entry, ids, reading }: Step, written: WrittenNames): Promise<Step | undefined> {
  const { store } = work
  const { left, progress, added = [] } = entry
  const [state, records, held] = await reading
  if (!state || !belongsTo(entry, state)) {
    await store.write([dropEntry(work, entry)])
    return undefined
  }
  if (ids.length === 0) {
    await correctNames(store, entry, written)
    await store.write([endWork(entry, { left })])
    return undefined
  }
  await finishEarlierRemoval(store, state)
  // Users were active when they were noted. Their status now does not matter, unless they are gone for good.
  const users = records.flatMap((user, nth) => (user && !held[nth] ? [user] : []))
  const { actions, counts } = assignmentsOf(state.task, users, { now: entry.at, progress })
  const rest = {
    users: entry.users.slice(ids.length),
    left: left - ids.length,
    added: [...added, ...users.map(({ id }) => id)],
  }
  const next = readStep(work, { ...entry, ...rest })
  await store.write([
    ...actions,
    countAdded(state, { ...counts, left: -ids.length }),
    recordProgress(work, entry, rest, { left }),
  ])
  for (const user of users) written.set(user.id, nameAmongRecipients(user).found)
  return next
}

/** Removes an entry that does not count. Keeps it while the call that wrote it may still make it count. */
const dropEntry = (work: Work, entry: RecipientsEntry): Action =>
  entry.kept !== undefined && entry.kept > work.clock().toISOString()
    ? recordProgress(work, entry, { due: entry.kept }, { left: entry.left })
    : endWork(entry)

/**
 * Moves assignments to where they belong by the present names of their users. Steps do not check that users are still as they
 * were read: that would cost as much as the assignments. Nothing is missed: this read shows each earlier rename or purge, and
 * a later one finds the assignments itself.
 */
async function correctNames(store: Store, entry: RecipientsEntry, written: WrittenNames): Promise<void> {
  const { task, added = [] } = entry
  const users = await Promise.all(added.map((id) => userRecords.read(store, id)))
  const isRight = (user: UserRecord | undefined) => user && nameAmongRecipients(user).found === written.get(user.id)
  const unsure = added.filter((_, nth) => !isRight(users[nth]))
  for (const ids of chunksOf(unsure, RECIPIENTS_AT_ONCE)) await decideAgain(() => correctNamesOf(store, task, ids))
}

async function correctNamesOf(store: Store, task: string, ids: readonly string[]): Promise<void> {
  const found = await Promise.all(
    ids.map((id) => Promise.all([store.get(taskAssignmentKey(id, task)), userRecords.read(store, id)])),
  )
  const actions = found.flatMap(([item, user]) => {
    // The author may have removed the user from the task.
    if (!item) return []
    // Users past their deadline still have a record. The purge removes it, and then finds the assignment.
    return user ? moveToPresentName(item, user) : namelessAssignment(item)
  })
  if (actions.length > 0) await store.write(actions)
}
