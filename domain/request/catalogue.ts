import { fold, termWords, wordsOf } from '../base/text.ts'
import { type PageQuery, paginationOf, window } from './paging.ts'
import { type SortValue, sorted, sortings } from './sorting.ts'

/**
 * Roles, user groups and channels are set up by hand, so there are few of them. Their lists read all of a kind at once:
 * so any text can be searched, and sorted in the caller's own language.
 */

/** Whether every word of a search term begins a word of one of the texts; without a term, they always match. */
export function matchesWords(texts: readonly string[], term: string | undefined): boolean {
  if (!term) return true
  const words = texts.flatMap((text) => wordsOf(fold(text)))
  return termWords(term).every((wanted) => words.some((word) => word.startsWith(wanted)))
}

/** What a record is sorted by, for each field that a `sort` value may name. */
export type Orders<T> = Readonly<Record<string, (entry: T) => string | null | undefined>>

/** One page of records, ordered without regard to case and accents. */
export function cataloguePage<T extends { id: string }>(
  entries: readonly T[],
  query: PageQuery & { sort: readonly SortValue[] },
  orders: Orders<T>,
) {
  const sortedBy = (entry: T, field: string): string | undefined => {
    const text = orders[field]?.(entry)
    return text ? fold(text) : undefined
  }
  const { skip, take } = window(query)
  return {
    page: sorted(entries, sortings(query.sort), sortedBy, ({ id }) => id).slice(skip, skip + take),
    pagination: paginationOf(query, entries.length),
  }
}
