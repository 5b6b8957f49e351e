import * as keys from '../store/keys.ts'
import { type Action, all, type Item, type Key, StaleRead, type Store } from '../store/store.ts'
import { recipientsOf } from '../store/taskKeys.ts'
import { finishRemoval } from './removal.ts'
import { placesByTask, readTask, type Task, type TaskState } from './task.ts'

/** Assignments of one transaction. */
const TOGETHER = 98
/** How many transactions a call has time for: some 2,900 recipients. The schedule does the rest. */
export const OWN_MOVES = 30

/** Whether a recipient's row is that of somebody who has lists of his own: who is gone for good has neither name nor list. */
export const isListed = ({ found }: Item): boolean => !String(found).startsWith(keys.MISSING)

/** Puts an assignment where its task belongs now in its recipient's lists. */
export function moving(row: Key, task: Task, before?: Item): Action {
  const values = placesByTask(task, keys.userOfRow(row as Item))
  return {
    update: { pk: row.pk, sk: row.sk },
    change: 'SET #by_due_at = :by_due_at, #by_changed_at = :by_changed_at',
    if: `attribute_exists(#list)${before ? ' AND #by_due_at = :due AND #by_changed_at = :changed' : ''}`,
    values: { ...values, ...(before ? { due: before.by_due_at, changed: before.by_changed_at } : {}) },
  }
}

/**
 * Moves a task's assignments to where it belongs now, and removes the entry when all of them are there. May be repeated,
 * and several may run at once: whoever changes the task last is followed by all of them.
 */
export async function finishMoving(store: Store, entry: Item, most = Number.POSITIVE_INFINITY): Promise<void> {
  const [id, key] = [String(entry.task), { pk: entry.pk, sk: entry.sk }]
  for (let left = most; left > 0; ) {
    const before = await readTask(store, id)
    if (!before) return store.write([{ delete: key }])
    if (before.gone) {
      await finishRemoval(store, id)
      continue
    }
    const look = await lookOnce(store, id, left)
    left -= look.moves
    if (look.wasStale) continue
    // The index does not show all of them yet, or there are too many of them for now: the schedule comes back.
    if (look.met < before.counts.count || (await ended(store, before, key))) return
  }
}

/** Ends the work if neither the task nor its recipients have changed since it was begun. */
async function ended(store: Store, { task, version, changes }: TaskState, key: Key): Promise<boolean> {
  const same = '#version = :version AND #changes = :changes'
  return happened(
    store.write([{ check: keys.taskKey(task.id), if: same, values: { version, changes } }, { delete: key }]),
  )
}

const happened = (write: Promise<void>): Promise<boolean> =>
  write.then(
    () => true,
    (error: unknown) => {
      if (error instanceof StaleRead) return false
      throw error
    },
  )

/** Looks at all recipients once, and moves those who are not yet where they belong. */
async function lookOnce(store: Store, id: string, most: number) {
  const rows = await all(store, recipientsOf(id))
  const look = { met: 0, moves: 0, wasStale: false }
  for (let start = 0; start < rows.length && look.moves < most; start += TOGETHER) {
    const found = await Promise.all(rows.slice(start, start + TOGETHER).map(({ pk, sk }) => store.get({ pk, sk })))
    const items = found.filter((item) => item !== undefined)
    look.met += items.length
    const moves = await movesOf(store, id, items)
    if (moves.length === 0) continue
    look.moves++
    look.wasStale ||= !(await happened(store.write(moves)))
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
  const { by_due_at, by_changed_at } = placesByTask(task, keys.userOfRow(item))
  return item.by_due_at === by_due_at && item.by_changed_at === by_changed_at
}
