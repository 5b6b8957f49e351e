import { cut } from '../base/text.ts'
import { fold, termWords, wordsOf } from '../base/words.ts'
import { type AskedPage, pageOf } from './askedPage.ts'
import { sortRecords } from './sorting.ts'

/**
 * Roles, user groups and channels are set up by hand, so there are few of them. Their lists read all records of a kind,
 * so that any text can be searched, and sorted in the caller's language.
 */

/** Whether every word of a search term is the beginning of a word of the texts; always true without a term. */
export function matchesWords(texts: readonly string[], term: string | undefined): boolean {
  if (!term) return true
  const words = texts.flatMap((text) => wordsOf(fold(text)))
  return termWords(term).every((wanted) => words.some((word) => word.startsWith(wanted)))
}

/** The value that a record is sorted by, for each field of `sort`. */
type Orders<T> = Readonly<Record<string, (entry: T) => string | null | undefined>>

/** Only this many bytes of a text are compared, as cursors contain them. */
const LONGEST = 900

/** The form of a text in which texts are sorted; undefined for an empty one. */
export const sortText = (text: string | null | undefined): string | undefined =>
  text ? cut(fold(text), LONGEST) : undefined

/** One page of records, ordered without regard to case and accents. */
export async function cataloguePage<T extends { id: string }>(
  { sorts, window, pagination }: AskedPage,
  entries: readonly T[],
  orders: Orders<T>,
) {
  const sortValue = (entry: T, field: string): string | undefined => sortText(orders[field]?.(entry))
  const all = sortRecords(entries, sorts, sortValue, ({ id }) => id)
  const { page, next } = pageOf(all, sorts, window)
  return { page, pagination: await pagination({ total: entries.length, next }) }
}
