import { mergeLists } from './lists.ts'
import { leadOf, type Order, placeIn } from './places.ts'
import { FIRST_LIMIT, type Item, limitAfter, type Page, type Range, type Store } from './store.ts'

// Reads of lists whose length nobody knows: none costs more than its budget, whatever a caller asks for.

/** The bytes of a row's keys, about. Hints come on top. */
const KEY_BYTES = 150
/** Reading a record costs half a read unit for 4 KB, as much as reading so many rows. */
const RECORD_BYTES = 4096
const ROWS_PER_RECORD = 16

/** Rows of each range that are read first: beside a rare word, a common one must not cost a whole page. */
const FIRST_ROWS = 500

/** Thrown once a budget is spent. */
export class Spent extends Error {}

/** The bytes that are left to several meters together: what DynamoDB charges for, and what memory holds. */
export type Purse = { bytes: number }

/** A store that reads no more than so many rows. */
export type Meter = Pick<Store, 'query'> & {
  /** Takes what reading so many records costs out of the budget; false if there is not so much left. */
  affords: (records: number) => boolean
}

export function metered(store: Pick<Store, 'query'>, budget: number, purse: Purse): Meter {
  let left = budget
  const underway = new Set<Promise<Page>>()
  const read = (range: Range, limit: number): Promise<Page> => {
    left -= limit
    const reading = store.query({ ...range, limit }).then((page) => {
      left += limit - page.items.length
      for (const { hint = '' } of page.items) purse.bytes -= KEY_BYTES + Buffer.byteLength(String(hint))
      return page
    })
    underway.add(reading)
    return reading.finally(() => underway.delete(reading))
  }
  return {
    affords(records) {
      const [rows, bytes] = [records * ROWS_PER_RECORD, records * RECORD_BYTES]
      if (left < rows || purse.bytes < bytes) return false
      left -= rows
      purse.bytes -= bytes
      return true
    },
    async query({ limit = FIRST_LIMIT, ...range }) {
      // Pages that are under way may leave something of what they were given.
      while (left < 1 && underway.size > 0) await Promise.race(underway)
      if (left < 1 || purse.bytes <= 0) throw new Spent()
      return read(range, Math.min(limit, left))
    },
  }
}

/** A range that is to be read, by which meter, and what gets its rows. */
type Wish = { range: Range; meter: Meter; see: (rows: Item[]) => void }

/** Shows all rows of a range, page after page; false where the budget does not suffice. */
export async function readAll(wish: Wish): Promise<boolean> {
  const reading = readingOf(wish, FIRST_LIMIT)
  while (await reading.goOn()) if (reading.isDone) return true
  return false
}

/**
 * Reads several ranges in step, a page of each at a time, until one is read to its end: answers its place among them; of
 * several, of the one with the fewest rows. Undefined where none ends within its budget.
 */
export async function readInStep(wishes: readonly Wish[]): Promise<number | undefined> {
  const all = wishes.map((wish) => readingOf(wish, FIRST_ROWS))
  let left = all
  while (left.length > 0) {
    const goesOn = await Promise.all(left.map((reading) => reading.goOn()))
    const [shortest] = all.filter(({ isDone }) => isDone).sort((a, b) => a.rows - b.rows)
    if (shortest) return all.indexOf(shortest)
    left = left.filter((_, n) => goesOn[n])
  }
  return undefined
}

/** A range on its way to its end: each page is larger than the one before. */
function readingOf({ range, meter, see }: Wish, first: number) {
  let [limit, most] = [first, FIRST_LIMIT]
  let after: Page['next']
  const reading = {
    rows: 0,
    isDone: false,
    /** Reads the next page; false once the budget is spent. */
    goOn: async (): Promise<boolean> => {
      const page = await meter.query({ ...range, limit, ...(after ? { after } : {}) }).catch(unlessSpent)
      if (!page) return false
      see(page.items)
      reading.rows += page.items.length
      most = limitAfter(limit, page, most)
      limit = Math.min(4 * limit, most)
      after = page.next
      reading.isDone = !after
      return true
    },
  }
  return reading
}

/** Answers nothing where a budget is spent, and throws every other failure. */
export function unlessSpent(error: unknown): undefined {
  if (!(error instanceof Spent)) throw error
}

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
type Walk = {
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
