import * as keys from '../table/keys.ts'
import type { Item, Store } from '../table/store.ts'
import { type AskedCursor, type Cursor, fitting } from './askedPage.ts'
import { type Listing, readPage } from './readPage.ts'
import { type Position, type Sorting, type SortParameter, sortings } from './sorting.ts'

/** A row of an index, with its sort keys in the indexes of all sorts, and the value that the answer shows for it. */
export type ListedRow<T> = { row: Item; value: T }

type Wanted<T> = Pick<Listing<ListedRow<T>>, 'keep' | 'load'> & {
  /** The lists of the indexes that are merged. */
  lists: readonly string[]
  /** The index for each field of the sort. */
  indexes: Readonly<Record<string, string>>
  /** The bytes that a value takes in the answer. */
  weigh: (value: T) => number
}

/**
 * A page of a cursor list, and the cursor of the next one. Continues to read until the page is full, even if many rows
 * are left out.
 */
export async function cursorPage<T, F>(
  store: Pick<Store, 'query'>,
  { cursor, limit }: Pick<AskedCursor<F>, 'cursor' | 'limit'>,
  { lists, indexes, keep, load, weigh }: Wanted<T>,
): Promise<{ values: T[]; next: Cursor<F> | undefined }> {
  const sorts = sortings(cursor.sort as SortParameter[]).map(
    (one): Sorting => ({ ...one, field: indexes[one.field] ?? '' }),
  )
  const [{ field: index, descending }] = sorts as [Sorting]
  const listing: Listing<ListedRow<T>> = {
    store,
    segments: [{ lists, values: [] }],
    order: { index, descending },
    sorts,
    keep,
    load,
    // One field is the order of its index; further ones order ties, each read whole.
    ties: sorts.length > 1 ? 'values' : 'rows',
    positionOf: ({ row }) => positionIn(row, sorts),
  }
  const page = await readPage(listing, { skip: 0, take: limit + 1, after: cursor.at })
  const shown = page.slice(0, Math.min(limit, fitting(page.map(({ value }) => weigh(value)))))
  const last = page.length > shown.length ? shown.at(-1) : undefined
  return { values: shown.map(({ value }) => value), next: last && { ...cursor, at: listing.positionOf(last) } }
}

/** The position of a row: its values in the indexes of the sort, and its id. */
function positionIn(row: Item, sorts: readonly Sorting[]): Position {
  const sortKeys = sorts.map(({ field }) => keys.sortKeyIn(row, field))
  return {
    values: sortKeys.map((sortKey) => keys.valueOrNull(keys.sortValueOf(sortKey))),
    id: keys.idOfSortKey(sortKeys[0] ?? ''),
  }
}
