import { refuse, StaleRead } from '../base/errors.ts'
import { retrying, slices } from '../base/flow.ts'
import { is } from '../table/expressions.ts'
import { taskKey, turnOf, workKey } from '../table/keys.ts'
import type { Action, Store } from '../table/store.ts'
import { MOST_ACTIONS } from '../table/transactions.ts'
import { afterCalls, type Entry, endWork, type Progress, readTurn, type Work, workEntry } from '../table/work.ts'
import { readTask, recipientsTold, stateOf, type Task, type TaskState } from '../tasks/task.ts'
import { countsIn, type ProgressStatus, takerFor, taskAssignments } from '../tasks/taskAssignment.ts'

// Recipients who are only noted: on entries of work while they are to come, on the task while they are to go.

/** How many users one step adds. Each is one action; the task and the entry are the other two. */
export const STEP = MOST_ACTIONS - 2
/** Users that one entry names: few enough that moving it on costs little beside the assignments themselves. */
const PER_ENTRY = 5 * STEP
/** An entry of work that gives a task to users. */
export type Addition = Entry<'recipients'>
/**
 * Users who get a task. Their assignments are created as of `now`; `begun` is when the call began, if that is later. Users
 * begin as NEW, unless `progress` says otherwise: only imports bring progress. They also do all of the work themselves.
 */
export type NewAddition = {
  task: Pick<Task, 'id' | 'created_at'>
  users: readonly string[]
  now: string
  id: string
  begun?: string
  progress?: Progress | undefined
}

export const statusOf = (progress: Progress | undefined, user: string): ProgressStatus => progress?.[user] ?? 'NEW'

/**
 * The entries of work that give a task to users. A later task may reuse the id: `born` tells them apart. What is too much
 * for a call is for the stream's worker from the beginning: it is told of the first entry, and comes to the others in turn.
 */
export function additionEntries({ task, users, now, id, begun = now, progress }: NewAddition): Addition[] {
  const taker = progress ? 'CALL' : takerFor(users.length)
  return [...slices(users, PER_ENTRY)].map((some, nth) => {
    const begins = progress && { progress: Object.fromEntries(some.map((user) => [user, statusOf(progress, user)])) }
    const work = { task: task.id, born: task.created_at, users: some, left: some.length, at: now, ...begins }
    return workEntry('recipients', task.id, work, begun, {
      taker: taker === 'STREAM' && nth > 0 ? 'WORKER' : taker,
      part: `${id}-${nth}`,
    })
  })
}

/** Entries beside the task and its event. Their ids stay below the 4 MB that a transaction may hold. */
const ENTRIES_AT_ONCE = MOST_ACTIONS - 10
/** Entries of a transaction of their own: with the progress of each user they are twice as large. */
const AHEAD_AT_ONCE = 50

/** Writes entries that have no effect before another write refers to them. It may come as late as the call lasts. */
export async function noteAhead(store: Store, entries: readonly Addition[]): Promise<void> {
  const waiting = entries.map((entry) => ({ ...entry, kept: afterCalls(entry.due ?? entry.at) }))
  for (const some of slices(waiting, AHEAD_AT_ONCE))
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

/** Whether an entry is about this task, and was decided: the call may have died before that. */
export const isMeant = ({ born, mark }: Addition, { task, marks }: TaskState): boolean =>
  task.created_at === born && (mark === undefined || marks.has(mark))

/** The entries of users who have yet to get a task. */
export async function readAdditions(store: Store, state: TaskState): Promise<Addition[]> {
  if (!state.counts.left) return []
  const entries = await readTurn(store, turnOf(workKey('recipients', state.task.id)))
  return entries.filter((entry) => entry.kind === 'recipients').filter((entry) => isMeant(entry, state))
}

/** Finishes a removal that an earlier call began, and throws StaleRead: changes of recipients follow each other. */
export async function requireSettled(store: Store, { gone, task }: TaskState): Promise<void> {
  if (!gone) return
  await finishRemoval(store, task.id)
  throw new StaleRead()
}

/** Removes the assignments that a task notes as gone. May be repeated, and two calls may do so at once. */
export function finishRemoval(store: Store, task: string): Promise<void> {
  return retrying(async () => {
    const gone = (await readTask(store, task))?.gone
    if (!gone) return
    const found = await Promise.all(gone.users.map((user) => taskAssignments.read(store, user, task)))
    const assignments = found.filter((one) => one !== undefined)
    // They were counted off already, but not by their progress: until now recipients could still change that.
    const { open, finished } = countsIn(assignments)
    await store.write(
      [
        ...assignments.map(taskAssignments.end),
        {
          update: taskKey(task),
          clear: ['gone'],
          add: { open: -open, finished: -finished },
          if: is({ 'gone/work': gone.work }),
        },
        endWork(gone.work),
      ],
      'aside',
    )
  })
}

/** Does the same for an entry of work. */
export async function finishGoneRecipients({ store }: Work, entry: Entry<'gone-recipients'>): Promise<void> {
  await finishRemoval(store, entry.task)
  // If the task itself was deleted, the entry is still there.
  await store.write([endWork(entry)])
}
