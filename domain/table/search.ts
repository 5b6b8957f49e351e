// Part of the table's map in keys.ts: where users are found by words and attribute values.
import { cut, SEPARATOR } from '../base/text.ts'
import { idOfPlace } from './places.ts'
import type { Item, Range, Store } from './store.ts'

/** How many words of a search term are looked up; the others are checked on what those find. */
export const WORDS_READ = 8

/** Search words longer than this many bytes are cut, and matches checked against the whole word. */
export const WORD_BYTES = 900

/** Where a search word is found: partitions by first character, so that no partition holds the words of all users. */
export const wordPlace = (word: string, id: string) => ({
  find: `W#${firstCharacter(word)}`,
  found: `${cut(word, WORD_BYTES)}${SEPARATOR}${id}`,
})
/** Where users with too many words are found. */
export const wordyPlace = (id: string) => ({ find: 'W#', found: id })
/** The user that a row of a search word stands for. */
export const userOfWord = (row: Item): string => idOfPlace(String(row.found))
/** The list of the users with exactly this value of an attribute. */
export const attributePlace = (name: string, value: string, id: string) => ({ list: pair(name, value), by_id: id })

/** Rows of all users with a word that begins like this. */
export const wordsLike = (word: string): Range => ({
  index: 'find',
  hash: `W#${firstCharacter(word)}`,
  beginsWith: cut(word, WORD_BYTES),
})
export const wordyUsers: Range = { index: 'find', hash: 'W#' }
export const havingAttribute = (name: string, value: string): Range => ({ index: 'by_id', hash: pair(name, value) })

/** Name and value may hold any character: the length of the name says where the value begins. */
const pair = (name: string, value: string): string => `A#${name.length}#${name}#${value}`

const firstCharacter = (word: string): string => String.fromCodePoint(word.codePointAt(0) ?? 0)

/** Rows of each range that are read first: beside a rare word, a common one must not cost a whole page. */
const FIRST_ROWS = 500

/**
 * Reads several ranges in step, a page of each at a time, until one is read to its end. Answers the rows of that one; of
 * several, the one with the fewest rows.
 */
export async function firstExhausted(
  store: Pick<Store, 'query'>,
  ranges: readonly Range[],
): Promise<{ index: number; rows: Item[] }> {
  const first = ranges.length > 1 ? { limit: FIRST_ROWS } : {}
  const read = ranges.map((range) => ({
    range,
    next: { ...range, ...first } as Range,
    rows: [] as Item[],
    isDone: false,
  }))
  for (;;) {
    await Promise.all(
      read.map(async (one) => {
        const page = await store.query(one.next)
        one.rows.push(...page.items)
        if (page.next) one.next = { ...one.range, after: page.next }
        else one.isDone = true
      }),
    )
    const [shortest] = read
      .map(({ rows, isDone }, index) => ({ index, rows, isDone }))
      .filter(({ isDone }) => isDone)
      .sort((a, b) => a.rows.length - b.rows.length)
    if (shortest) return shortest
  }
}
