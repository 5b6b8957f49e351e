import { compareBytes } from '../base/text.ts'
import { endOf } from './items.ts'
import { MISSING, PRESENT, sortKeyAt, sortKeyIn } from './keys.ts'
import { type Compare, type Merge, merge } from './merge.ts'
import type { Item, Range, Store } from './store.ts'

// The order of a list.

/** Indexes that not all records have a value for. Records without one come last, in either direction. */
const optional: ReadonlySet<string> = new Set(['by_email', 'by_department', 'by_location_or_due', 'find'])

/** The order of an index, up or down. With `backwards`, the same order is read from its end. */
export type Order = { index: string; descending: boolean; backwards?: boolean }

/**
 * The ranges of a list in this order; each follows the one before. They begin at the sort key `start`: ascending ranges leave
 * that sort key out, descending ones include it. Rows without a value get a separate range where the index has them at the
 * wrong end.
 */
export function listRanges(list: string, { index, descending, backwards = false }: Order, start?: string): Range[] {
  const range: Range = { index, hash: list, descending: isDownwards({ descending, backwards }) }
  if (!descending || !optional.has(index)) {
    if (start === undefined) return [range]
    return [range.descending ? { ...range, to: start } : { ...range, from: start }]
  }
  const parts = backwards ? [MISSING, PRESENT] : [PRESENT, MISSING]
  const left = start === undefined ? parts : parts.slice(parts.indexOf(start.slice(0, 1)))
  return left.map((part, n) => {
    if (start === undefined || n > 0) return { ...range, beginsWith: part }
    return range.descending ? { ...range, from: part, to: start } : { ...range, from: start, to: endOf(part) }
  })
}

/** Whether an order is read from high sort keys to low ones. */
export const isDownwards = ({ descending, backwards = false }: Omit<Order, 'index'>): boolean =>
  descending !== backwards

/** The sort key where a list continues after all rows with this sort value (see sortValueOf). */
export const afterTie = (order: Order, sortValue: string): string =>
  isDownwards(order) ? sortValue : endOf(sortKeyAt(sortValue, ''))

/** Compares rows by their sort keys in an order. */
function comparingRows({ index, descending, backwards = false }: Order): Compare {
  const sign = isDownwards({ descending, backwards }) ? -1 : 1
  const isMissing = (sortKey: string): number => Number(index !== 'by_id' && sortKey.startsWith(MISSING))
  return (a, b) => {
    const [x, y] = [sortKeyIn(a, index), sortKeyIn(b, index)]
    const missing = isMissing(x) - isMissing(y)
    if (missing !== 0) return backwards ? -missing : missing
    // Two roles of one user have the same sort key: the end of the key, which is the role, decides.
    // Stryker disable next-line ArithmeticOperator: x/±1 equals x·±1
    return (compareBytes(x, y) || compareBytes(a.sk, b.sk)) * sign
  }
}

// Several lists as one.

type Lists = Order &
  Pick<Merge, 'keep' | 'keepsAllRows' | 'skip' | 'likely' | 'more'> & {
    lists: readonly string[]
    /** The sort key to begin at: see listRanges. */
    start?: string | undefined
    /** Begins to read rows without a value in parallel with the others: fewer round trips, but maybe for nothing. */
    eager?: boolean
  }

/** The rows of several lists in the order of an index, in batches. */
export function mergeLists(
  store: Pick<Store, 'query'>,
  { lists, start, eager, ...how }: Lists,
): AsyncGenerator<Item[]> {
  const ranges = lists.map((list) => listRanges(list, how, start))
  return merge(store, {
    ...how,
    lists: eager ? ranges.flat().map((range) => [range]) : ranges,
    compare: comparingRows(how),
  })
}
