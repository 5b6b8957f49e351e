import { absent, either, exists, has } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { type Action, all, happened, type Key } from '../table/store.ts'
import { ofTask, recipientsOf, taskTombstoneKey } from '../table/taskKeys.ts'
import { type Entry, endWork, isLate, type Work } from '../table/work.ts'

/** Assignments of one transaction, beside their number. */
const TOGETHER = 99
/** How many transactions a call makes at most: some 2,900 recipients. The schedule does the rest. */
export const OWN_DELETIONS = 30

/**
 * Removes what is left of a task that has been deleted, as far as there is time. Its item says how many assignments there still are, so that none
 * is overlooked that an index does not show yet; until the last of them is gone nobody else can have the id.
 */
export async function finishDeletion(
  work: Work,
  entry: Entry<'gone-task'>,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { store } = work
  const { task: id } = entry
  for (let left = most; left > 0 && !isLate(work); ) {
    const items = (await all(store, ofTask(id))).filter(({ sk }) => sk !== taskTombstoneKey(id).sk)
    const rest = items.find(({ sk }) => sk === keys.taskKey(id).sk)
    if (!rest || rest.data !== undefined) return store.write([endWork(entry)])
    if (Number(rest.count) <= 0) return store.write(ending(rest, [...items.filter((item) => item !== rest), entry]))
    const removed = await removeSome(work, id, left)
    // The index does not show them yet: the schedule comes back.
    if (removed === 0) return
    left -= removed
  }
}

/** Removes the last of it at once. Who comes second may find another task in its place: that one is left alone. */
const ending = (rest: Key, others: readonly Key[]): Action[] => [
  {
    delete: { pk: rest.pk, sk: rest.sk },
    if: either(absent, has('deleted_at')),
  },
  ...others.map(({ pk, sk }) => ({ delete: { pk, sk } })),
]

/** Removes the assignments that the index shows; answers in how many transactions. */
async function removeSome(work: Work, id: string, most: number): Promise<number> {
  const { store } = work
  const rows = await all(store, recipientsOf(id))
  let transactions = 0
  for (let start = 0; start < rows.length && transactions < most && !isLate(work); start += TOGETHER) {
    const some = rows.slice(start, start + TOGETHER)
    const found = await Promise.all(some.map(({ pk, sk }) => store.get({ pk, sk })))
    const there = found.filter((item) => item !== undefined)
    if (there.length === 0) continue
    transactions++
    // Somebody else may be at it as well: the next look tells what is left.
    await happened(store.write(removal(id, there)))
  }
  return transactions
}

const removal = (id: string, items: readonly Key[]): Action[] => [
  {
    update: keys.taskKey(id),
    add: { count: -items.length },
    if: has('deleted_at'),
  },
  ...items.map(({ pk, sk }): Action => ({ delete: { pk, sk }, if: exists })),
]
