import { type Meter, Spent, unlessSpent } from './budget.ts'
import { mergeLists, type Order, placeIn } from './lists.ts'
import { leadOf } from './places.ts'
import type { Item } from './store.ts'

/** What to look for in lists that are too long to be read to their ends. */
type Wanted = {
  /** Lists that are merged, one segment of them behind the other. */
  segments: readonly (readonly string[])[]
  order: Order
  /** Whether a row can stand for a match. */
  keep: (row: Item) => boolean
  /** Whether further fields order rows of equal values: such a run counts only if it was seen to its end. */
  inRuns: boolean
  /** Whether a record is read for each row that is kept; else `most` rows are enough. */
  needsRecords: boolean
  most: number
  /** Matches that are to be counted beyond those that are kept. */
  enough: number
  /** How many rows are read first of each list. */
  ahead: number
}

/** The first rows in order, how many more there are at least, and why the walk ended. */
export type Walk = {
  rows: Item[]
  seen: number
  /** Whether the lists were read to their ends. */
  isOver: boolean
  /** Whether there were rows, but no run of equal values that was seen to its end. */
  isStuck: boolean
}

/** Reads lists in the order of their index until there is enough, or until the budget is spent. */
export async function walkInOrder(meter: Meter, wanted: Wanted): Promise<Walk> {
  const walk = { rows: [] as Item[], settled: 0, seen: 0 }
  const isOver = (await goOn(meter, wanted, walk).catch(unlessSpent)) ?? false
  const settled = wanted.inRuns && !isOver ? walk.settled : walk.rows.length
  const isStuck = settled === 0 && walk.rows.length > 0
  return { rows: walk.rows.slice(0, settled), seen: walk.seen, isOver, isStuck }
}

/** True at the end of the lists, if all rows were kept; false where there is enough. */
async function goOn(
  meter: Meter,
  wanted: Wanted,
  walk: { rows: Item[]; settled: number; seen: number },
): Promise<boolean> {
  for await (const { row, startsRun } of rowsOf(meter, wanted)) {
    if (startsRun) walk.settled = walk.rows.length
    const isFull = !wanted.needsRecords && walk.settled >= wanted.most
    if (isFull && walk.seen >= wanted.enough) return false
    if (!isFull) walk.rows.push(row)
    walk.seen++
  }
  return walk.seen === walk.rows.length
}

async function* rowsOf(meter: Meter, { segments, order, keep, inRuns, needsRecords, ahead }: Wanted) {
  const runOf = (row: Item): string => (inRuns ? leadOf(placeIn(row, order.index)) : placeIn(row, order.index))
  for (const lists of segments) {
    const rows = mergeLists(meter, { lists, keep, ...order })
    let run: string | undefined
    for (let [row] = await rows.take(1, ahead); row; [row] = await rows.take(1, ahead)) {
      if (needsRecords && !meter.affords(1)) throw new Spent()
      yield { row, startsRun: runOf(row) !== run }
      run = runOf(row)
    }
  }
}
