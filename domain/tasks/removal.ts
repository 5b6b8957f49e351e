import { refuse } from '../base/errors.ts'
import { is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { type Action, type Item, keyIn, StaleRead, type Store } from '../table/store.ts'
import { type Entry, endWork, type Work, workEntry } from '../table/work.ts'
import { countsOf, readTask, stateOf, type TaskState } from './task.ts'
import { assignmentDeletion, countedOff, statusesOf } from './taskWrites.ts'

/** The most actions that one transaction takes. */
const MOST_ACTIONS = 100

type Removal = { state: TaskState; items: readonly Item[] }

/**
 * Removes assignments in one transaction, up to as many as a batch names. Where the task's item and a hundred others do
 * not fit, the last ones are only noted on the task as gone: from then on they do not count for anybody. What is left to
 * do is removing them, noted as work in the same transaction; that they are still there is told by the number of changes.
 */
export function removalActions({ state, items }: Removal, newWork: { now: string; id: string }): Action[] {
  const { changes, task } = state
  const otherwise = (found: Item | undefined) =>
    whyNot(stateOf(found), items.length < MOST_ACTIONS ? undefined : changes)
  if (items.length < MOST_ACTIONS)
    return [...items.map(assignmentDeletion), countedOff(task.id, countsOf(statusesOf(items)), { otherwise })]
  const direct = items.slice(0, MOST_ACTIONS - 2)
  const users = items.slice(direct.length).map(keys.userOfRow)
  const entry = workEntry('gone-recipients', newWork.id, { task: task.id, users }, newWork.now)
  const off = { ...countsOf(statusesOf(direct)), count: items.length }
  return [
    ...direct.map(assignmentDeletion),
    countedOff(task.id, off, {
      set: { gone: { users, work: keyIn(entry) } },
      if: is({ changes }),
      otherwise,
    }),
    { put: entry },
  ]
}

/** Why a task does not lose assignments that are all still there; `changes` where their number had to be what it was. */
function whyNot(state: TaskState | undefined, changes: number | undefined): Error {
  if (!state) return refuse('TASK_NOT_FOUND')
  if (state.gone || (changes !== undefined && state.changes !== changes)) return new StaleRead()
  return refuse('TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION')
}

/** Removes what is noted on a task as gone. May be repeated, and two may run at once. */
export function finishRemoval(store: Store, task: string): Promise<void> {
  return retrying(async () => {
    const gone = (await readTask(store, task))?.gone
    if (!gone) return
    const found = await Promise.all(gone.users.map((user) => store.get(keys.taskAssignmentKey(user, task))))
    const items = found.filter((item) => item !== undefined)
    // They were counted off already, but not by their progress: until now a recipient could still have moved on.
    const { open, finished } = countsOf(statusesOf(items))
    await store.write(
      [
        ...items.map(assignmentDeletion),
        {
          update: keys.taskKey(task),
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
  // Where the task itself is gone, nothing was left to remove the entry.
  await store.write([endWork(entry)])
}
