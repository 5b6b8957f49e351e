import { compareBytes, fold, termWords, wordsOf } from '../base/text.ts'
import * as places from '../table/places.ts'
import { all, type Store } from '../table/store.ts'
import { type PageQuery, paginationOf, window } from './pages.ts'

/**
 * What an organisation sets up by hand (roles, user groups, channels) is as much as people can keep an eye on: its lists
 * read all of a kind at once, so that any text can be searched and sorted in the caller's own language.
 */

/** What the item of such a record carries to be in the list of its kind: the record itself, so that no other read is needed. */
export const catalogued = (kind: places.Catalogue, record: { id: string }) => ({
  ...places.cataloguePlace(kind, record.id),
  hint: JSON.stringify(record),
})

/** All records of a kind; they may lag a moment behind the last write. */
export async function readCatalogue<T>(store: Pick<Store, 'query'>, kind: places.Catalogue): Promise<T[]> {
  return (await all(store, places.catalogue(kind))).map(({ hint }) => JSON.parse(String(hint)) as T)
}

/** Whether every word of a search term begins a word of one of the texts; every text does without a term. */
export function matchesWords(texts: readonly string[], term: string | undefined): boolean {
  if (!term) return true
  const words = texts.flatMap((text) => wordsOf(fold(text)))
  return termWords(term).every((wanted) => words.some((word) => word.startsWith(wanted)))
}

/** What a record is sorted by, for each field that a `sort` value may name. */
export type Orders<T> = Readonly<Record<string, (entry: T) => string | null | undefined>>

/**
 * One page of records, ordered by `sort` (`FIELD_ASC`, `FIELD_DESC`) without regard to case and accents. Who lacks a value
 * comes last either way; ties go by id in the direction of the last sort value.
 */
export function cataloguePage<T extends { id: string }>(
  entries: readonly T[],
  query: PageQuery & { sort: readonly string[] },
  orders: Orders<T>,
) {
  const sorts = query.sort.map((value) => {
    const end = value.lastIndexOf('_')
    return { field: value.slice(0, end), sign: value.endsWith('_DESC') ? -1 : 1 }
  })
  const ranked = entries.map((entry) => ({
    entry,
    ranks: sorts.map(({ field }) => folded(orders[field]?.(entry))),
  }))
  ranked.sort((a, b) => {
    for (const [at, { sign }] of sorts.entries()) {
      const order = compareRanks(a.ranks[at], b.ranks[at], sign)
      if (order !== 0) return order
    }
    return (sorts.at(-1)?.sign ?? 1) * compareBytes(a.entry.id, b.entry.id)
  })
  const { skip, take } = window(query)
  return {
    page: ranked.slice(skip, skip + take).map(({ entry }) => entry),
    pagination: paginationOf(query, entries.length),
  }
}

const folded = (text: string | null | undefined): string | undefined => (text ? fold(text) : undefined)

function compareRanks(a: string | undefined, b: string | undefined, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return sign * compareBytes(a, b)
}
