import { cut, fold, termWords, wordsOf } from '../base/text.ts'
import { type Asked, pageOf } from './paging.ts'
import { sortRecords } from './sorting.ts'

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

/** Texts are compared up to so many bytes: a cursor holds them. */
const LONGEST = 900

/** One page of records, ordered without regard to case and accents. */
export async function cataloguePage<T extends { id: string }>(
  { sorts, window, pagination }: Asked,
  entries: readonly T[],
  orders: Orders<T>,
) {
  const sortValue = (entry: T, field: string): string | undefined => {
    const text = orders[field]?.(entry)
    return text ? cut(fold(text), LONGEST) : undefined
  }
  const all = sortRecords(entries, sorts, sortValue, ({ id }) => id)
  const { page, next } = pageOf(all, sorts, window)
  return { page, pagination: await pagination({ total: entries.length, next }) }
}
