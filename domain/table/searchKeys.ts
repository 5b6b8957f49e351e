// Of THE TABLE (keys.ts): where users are found by words and attribute values.
import { cut, SEPARATOR } from '../base/text.ts'
import { idOfPlace } from './places.ts'
import type { Item, Range } from './store.ts'

/** Of a search term's words so many are looked up; the others are checked on what those find. */
export const WORDS_READ = 8

/** Search words longer than this many bytes are cut, and matches checked against the whole word. */
export const WORD_BYTES = 900

/** Where a search word is found: partitions by first character, so that no partition holds everybody's words. */
export const wordPlace = (word: string, id: string) => ({
  find: `W#${firstCharacter(word)}`,
  found: `${cut(word, WORD_BYTES)}${SEPARATOR}${id}`,
})
/** Where users with too many words are found. */
export const wordyPlace = (id: string) => ({ find: 'W#', found: id })
/** The user who is found at such a place. */
export const userOfWord = (row: Item): string => idOfPlace(String(row.found))
/** The list of those who have an attribute's exact value. */
export const attributePlace = (name: string, value: string, id: string) => ({ list: pair(name, value), by_id: id })

/** Rows of everybody with a word that begins like this. */
export const wordsLike = (word: string): Range => ({
  index: 'find',
  hash: `W#${firstCharacter(word)}`,
  beginsWith: cut(word, WORD_BYTES),
})
export const wordyUsers: Range = { index: 'find', hash: 'W#' }
export const havingAttribute = (name: string, value: string): Range => ({ index: 'by_id', hash: pair(name, value) })

/** Both may hold any character: only the length of the first says where the second begins. */
const pair = (name: string, value: string): string => `A#${name.length}#${name}#${value}`

const firstCharacter = (word: string): string => String.fromCodePoint(word.codePointAt(0) ?? 0)
