import { isDeepStrictEqual } from 'node:util'
import { chunksOf } from '../base/parallel.ts'
import { succeeded } from '../table/actions.ts'
import { every, has, is, lacks } from '../table/expressions.ts'
import { keyIn } from '../table/items.ts'
import { recipientsOf, taskKey, userOfRow } from '../table/keys.ts'
import { mostThatFit } from '../table/pack.ts'
import { all } from '../table/reader.ts'
import { type Action, type Item, readEach, type Store } from '../table/store.ts'
import { endWork } from '../table/work.ts'
import type { Entry } from '../table/workKinds.ts'
import { inSteps, isShortOfTime, type Work } from '../work/steps.ts'
import { finishRemoval } from './removeRecipients.ts'
import { readTask, type Task, type TaskState } from './task.ts'
import { indexKeysByTask } from './taskAssignment.ts'

/** Assignments that are read at once. */
const READ_AT_ONCE = 1000
/** Assignments moved in one transaction, with the task and the entry. */
const MOVES_PER_TRANSACTION = mostThatFit({ each: 1, besides: 2, hasEvents: false })

/** Moves an assignment to where its task belongs now in its recipient's lists; stale if it is no longer where it is in `before`. */
export const movement = (row: Item, task: Task, before?: Item): Action => ({
  update: keyIn(row),
  set: indexKeysByTask(task, userOfRow(row)),
  if: before ? every(has('list'), is(keysByTaskIn(before))) : has('list'),
})

const keysByTaskIn = ({ by_location_or_due, by_username_or_change }: Item) => ({
  by_location_or_due,
  by_username_or_change,
})

/**
 * Moves a task's assignments to where it belongs now, as far as there is time, and ends the entry when all of them have
 * moved. May be repeated, also by several runs at once: each follows the last change of the task.
 */
export const finishMoving = (work: Work, entry: Entry<'places'>): Promise<unknown> =>
  inSteps(work, entry, async () => {
    const before = await readTaskWithoutRemoval(work.store, entry.task)
    const look = before ? await lookOnce(work, entry.task) : NOTHING
    if (look.wasStale) return entry
    // The index does not show all of them yet, or there is no time for all: a worker continues later.
    if (look.seen < (before?.counts.count ?? 0)) return undefined
    return (await ended(work.store, entry, before)) ? undefined : entry
  })

const NOTHING = { seen: 0, wasStale: false }

/** The task. A removal of recipients that was begun is finished first. */
async function readTaskWithoutRemoval(store: Store, id: string): Promise<TaskState | undefined> {
  const state = await readTask(store, id)
  if (!state?.gone) return state
  await finishRemoval(store, id)
  return readTaskWithoutRemoval(store, id)
}

/** Ends the work if neither the task nor its recipients have changed since it was begun, or if the task is gone. */
function ended(store: Store, entry: Entry<'places'>, before: TaskState | undefined): Promise<boolean> {
  const same = before ? is({ version: before.version, changes: before.recipientChanges }) : lacks('data')
  return succeeded(store.write([{ check: taskKey(entry.task), if: same }, endWork(entry)]))
}

/** Looks at all recipients once, and moves the assignments that are not yet where they belong. */
async function lookOnce(work: Work, id: string) {
  const { store } = work
  const look = { ...NOTHING }
  for (const some of chunksOf(await all(store, recipientsOf(id)), READ_AT_ONCE)) {
    if (isShortOfTime(work)) break
    const items = await readEach(store, some)
    for (const moves of chunksOf(await movesOf(store, id, items), MOVES_PER_TRANSACTION)) {
      // Out of time: the assignments that have not moved do not count as seen.
      if (isShortOfTime(work)) return look
      look.wasStale ||= !(await succeeded(store.write(moves)))
    }
    look.seen += items.length
  }
  return look
}

/** The moves that assignments need. The task is read after them, so that it is never older than their sort keys. */
async function movesOf(store: Store, id: string, items: readonly Item[]): Promise<Action[]> {
  const task = (await readTask(store, id))?.task
  if (!task) return []
  const stale = items.filter((item) => item.list !== undefined && !isMoved(item, task))
  return stale.map((item) => movement(item, task, item))
}

const isMoved = (item: Item, task: Task): boolean =>
  isDeepStrictEqual(keysByTaskIn(item), indexKeysByTask(task, userOfRow(item)))
