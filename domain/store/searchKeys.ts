// Of THE TABLE (keys.ts): where users are found by words and attribute values.
import { cut, SEPARATOR } from '../text.ts'
import type { Range } from './store.ts'

/** Of a search term's words so many are looked up; the others are checked on what those find. */
export const WORDS_READ = 8

/** Search words longer than this many bytes are cut, and matches checked against the whole word. */
export const WORD_BYTES = 900

/** Where a search word is found: partitions by first character, so that no partition holds everybody's words. */
export const wordPlace = (word: string, id: string) => ({
  find: `W#${firstCharacter(word)}`,
  found: `${cut(word, WORD_BYTES)}${SEPARATOR}${id}`,
})
/** Where users with more words than slots are found. */
export const wordyPlace = (id: string) => ({ find: 'W#', found: id })
/** Where an attribute's exact value is found. */
export const attributePlace = (name: string, value: string, id: string) => ({ find: pair(name, value), found: id })

/** Rows of everybody with a word that begins like this. */
export const wordsLike = (word: string): Range => ({
  index: 'find',
  hash: `W#${firstCharacter(word)}`,
  beginsWith: cut(word, WORD_BYTES),
})
export const wordyUsers: Range = { index: 'find', hash: 'W#' }
export const havingAttribute = (name: string, value: string): Range => ({ index: 'find', hash: pair(name, value) })

/** Both may hold any character: only the length of the first says where the second begins. */
const pair = (name: string, value: string): string => `A#${name.length}#${name}#${value}`

const firstCharacter = (word: string): string => String.fromCodePoint(word.codePointAt(0) ?? 0)
