import { slices } from '../base/sideBySide.ts'
import { has } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { type Action, StaleRead, type Store } from '../table/store.ts'
import { type Entry, endWork, idOfWork, isLate, moveOn, readWork, type Work, workEntry } from '../table/work.ts'
import { readUser } from '../users/user.ts'
import { finishRemoval } from './removal.ts'
import { readTask, type Task, type TaskState } from './task.ts'
import { assignmentCreation, countedOn, newOnes } from './taskWrites.ts'

/** Users who are added at once: two actions each, one for the task, one for the entry of the work. */
export const AT_ONCE = 49
/** Users whom one entry of work names: few enough that moving it on costs little beside the assignments themselves. */
const PER_ENTRY = 10 * AT_ONCE
/** Entries of one transaction: their ids stay below the 4 MB that it may hold. */
const ENTRIES_AT_ONCE = 90

export type Addition = { task: Pick<Task, 'id' | 'created_at'>; users: readonly string[]; now: string; id: string }

/** The entries of work that give a task to users. Another task that has the id one day is none of theirs. */
export const additionEntries = ({ task, users, now, id }: Addition): Entry<'recipients'>[] =>
  [...slices(users, PER_ENTRY)].map((some, nth) => {
    const work = { task: task.id, born: task.created_at, users: some, left: some.length, at: now }
    return workEntry('recipients', `${id}-${nth}`, work, now)
  })

/** Writes entries of work that mean nothing until another write makes them do so. */
export async function noteAhead(store: Store, entries: readonly Entry<'recipients'>[]): Promise<void> {
  for (const some of slices(entries, ENTRIES_AT_ONCE))
    await store.write(
      some.map((put) => ({ put })),
      'aside',
    )
}

/**
 * Notes whom a task is to be given to, when they are too many for one transaction: from here on all of them will get it,
 * whatever happens to the caller. Entries that do not fit that transaction, too, are written ahead of it; they mean nothing
 * unless it has put their mark on the task. Answers the entries of the work.
 */
export async function beginAdding(store: Store, addition: Addition): Promise<Entry<'recipients'>[]> {
  const noted = additionEntries(addition)
  const isMuch = noted.length > ENTRIES_AT_ONCE
  const [key, mark] = [keys.taskKey(addition.task.id), addition.id]
  const exists: Pick<Action, 'if' | 'otherwise'> = {
    if: has('data'),
    otherwise: { code: 'TASK_NOT_FOUND', property: 'task_id' },
  }
  const entries = isMuch ? noted.map((entry) => ({ ...entry, mark })) : noted
  const marked: Action = isMuch
    ? { update: key, add: { marks: new Set([mark]) }, ...exists }
    : { check: key, ...exists }
  await noteAhead(store, entries.slice(ENTRIES_AT_ONCE))
  await store.write([marked, ...entries.slice(0, ENTRIES_AT_ONCE).map((put) => ({ put }))])
  return entries
}

/** How many entries of work a call does itself at most, some 2,900 recipients; the schedule does the rest. */
const OWN_ENTRIES = 6

/** Does as much of the work that has been noted as a call has time for. */
export async function finishEntries(work: Work, entries: readonly Entry<'recipients'>[]): Promise<void> {
  for (const entry of entries.slice(0, OWN_ENTRIES)) await finishAdding(work, entry)
}

/**
 * Does what an entry says, as far as there is time, in steps that each move it on: nobody is added twice, even if he is
 * removed meanwhile.
 */
export async function finishAdding(work: Work, noted: Entry<'recipients'>): Promise<void> {
  const { store, now } = work
  for (let entry: Entry<'recipients'> | undefined = noted; entry && !isLate(work); ) {
    const known: Entry<'recipients'> = entry
    let isFirst = true
    entry = await retrying(async () => {
      const current = isFirst ? known : await readWork(store, 'recipients', idOfWork(noted))
      isFirst = false
      return current && addNext(store, current, now)
    })
  }
}

/** Adds the next of them; answers the entry as it is then, if anything of it is left. */
async function addNext(
  store: Store,
  entry: Entry<'recipients'>,
  now: string,
): Promise<Entry<'recipients'> | undefined> {
  const { task, users } = entry
  const some = users.slice(0, AT_ONCE)
  const [state, records, held] = await Promise.all([
    readTask(store, task),
    Promise.all(some.map((id) => readUser(store, id, now))),
    Promise.all(some.map((id) => store.get(keys.taskAssignmentKey(id, task)))),
  ])
  if (!state || !isMeant(entry, state)) return store.write([endWork(entry)]).then(() => undefined)
  await unlessUnsettled(store, state)
  // Who was active when this began gets the task, whatever he is now; only who is gone for good cannot.
  const fresh = records.flatMap((user, index) => (user && !held[index] ? [user] : []))
  const rest = users.slice(AT_ONCE)
  await store.write([
    ...fresh.flatMap((user) => assignmentCreation(state.task, user, entry.at)),
    ...(fresh.length > 0 ? [countedOn(state, newOnes(fresh.length))] : []),
    movedOn(entry, rest),
  ])
  return rest.length > 0 ? { ...entry, users: rest, left: rest.length } : undefined
}

/** Whether an entry is about this task, and not what has been noted by somebody who died before it was decided. */
const isMeant = ({ born, mark }: Entry<'recipients'>, { task, marks }: TaskState): boolean =>
  task.created_at === born && (mark === undefined || marks.has(mark))

const movedOn = (entry: Entry<'recipients'>, rest: readonly string[]): Action =>
  rest.length === 0
    ? endWork(entry, { left: entry.left })
    : moveOn(entry, { users: rest, left: rest.length }, { left: entry.left })

/** Adding waits for a removal that was begun before. */
export async function unlessUnsettled(store: Store, { gone, task }: TaskState): Promise<void> {
  if (!gone) return
  await finishRemoval(store, task.id)
  throw new StaleRead()
}
