import { slices } from '../base/sideBySide.ts'
import { every, has, is, lacks } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import * as places from '../table/places.ts'
import { type Action, all, happened, type Item, type Key, type Store } from '../table/store.ts'
import { recipientsOf } from '../table/taskKeys.ts'
import { type Entry, endWork, isLate, type Work } from '../table/work.ts'
import { finishRemoval } from './removal.ts'
import { placesByTask, readTask, type Task, type TaskState } from './task.ts'

/** Assignments that are looked at together: those that stand where they belong are passed over quickly. */
const LOOKED_AT = 1000
/** Assignments of one transaction. */
const TOGETHER = 98
/** How many transactions a call makes at most: some 2,900 recipients. The schedule does the rest. */
export const OWN_MOVES = 30

/** Whether a recipient's row is that of somebody who has lists of his own: who is gone for good has neither name nor list. */
export const isListed = ({ found }: Item): boolean => !String(found).startsWith(places.MISSING)

/** Puts an assignment where its task belongs now in its recipient's lists. */
export function moving(row: Key, task: Task, before?: Item): Action {
  const unmoved = before && {
    by_location_or_due: before.by_location_or_due,
    by_username_or_change: before.by_username_or_change,
  }
  return {
    update: { pk: row.pk, sk: row.sk },
    set: placesByTask(task, keys.userOfRow(row as Item)),
    if: unmoved ? every(has('list'), is(unmoved)) : has('list'),
  }
}

/**
 * Moves a task's assignments to where it belongs now, as far as there is time, and removes the entry when all of them
 * are there. May be repeated, and several may run at once: whoever changes the task last is followed by all of them.
 */
export async function finishMoving(work: Work, entry: Entry<'places'>, most = Number.POSITIVE_INFINITY): Promise<void> {
  const { store } = work
  const { task: id } = entry
  for (let left = most; left > 0 && !isLate(work); ) {
    const before = await settledTask(store, id)
    const look = before ? await lookOnce(work, id, left) : NOTHING
    left -= look.moves
    if (look.wasStale) continue
    // The index does not show all of them yet, or they are too many for now: the schedule comes back.
    if (look.met < (before?.counts.count ?? 0) || (await ended(store, entry, before))) return
  }
}

/** What is met of a task that is gone. */
const NOTHING = { met: 0, moves: 0, wasStale: false }

/** A task, after what was begun to be removed of it. */
async function settledTask(store: Store, id: string): Promise<TaskState | undefined> {
  const state = await readTask(store, id)
  if (!state?.gone) return state
  await finishRemoval(store, id)
  return settledTask(store, id)
}

/** Ends the work if neither the task nor its recipients have changed since it was begun, or if the task is gone. */
async function ended(store: Store, entry: Entry<'places'>, before: TaskState | undefined) {
  const same = before ? is({ version: before.version, changes: before.changes }) : lacks('data')
  return happened(store.write([{ check: keys.taskKey(entry.task), if: same }, endWork(entry)]))
}

/** Looks at all recipients once, and moves those who are not yet where they belong. */
async function lookOnce(work: Work, id: string, most: number) {
  const { store } = work
  const rows = await all(store, recipientsOf(id))
  const look = { ...NOTHING }
  const isOver = () => look.moves >= most || isLate(work)
  for (const some of slices(rows, LOOKED_AT)) {
    if (isOver()) break
    const found = await Promise.all(some.map(({ pk, sk }) => store.get({ pk, sk })))
    const items = found.filter((item) => item !== undefined)
    for (const moves of slices(await movesOf(store, id, items), TOGETHER)) {
      // Whom there is no time for has not been met.
      if (isOver()) return look
      look.moves++
      look.wasStale ||= !(await happened(store.write(moves)))
    }
    look.met += items.length
  }
  return look
}

/** What takes assignments to where their task belongs. Read after them, it is never older than where they stand. */
async function movesOf(store: Store, id: string, items: readonly Item[]): Promise<Action[]> {
  const task = (await readTask(store, id))?.task
  if (!task) return []
  const stale = items.filter((item) => item.list !== undefined && !isPlaced(item, task))
  return stale.map((item) => moving(item, task, item))
}

function isPlaced(item: Item, task: Task): boolean {
  const { by_location_or_due, by_username_or_change } = placesByTask(task, keys.userOfRow(item))
  return item.by_location_or_due === by_location_or_due && item.by_username_or_change === by_username_or_change
}
