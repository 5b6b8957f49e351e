import type { Context } from '../../request/context.ts'
import { type ByteBudget, limitedStore, readAlternately, readRange } from '../../table/budget.ts'
import * as keys from '../../table/keys.ts'
import type { Item, Range } from '../../table/store.ts'
import type { UserCondition } from '../records/userLists.ts'

/** The limits of every search, whatever it asks for. */
export type SearchBudget = {
  /** The most rows that are read of one word, and of the sorted lists. */
  rows: number
  /** The most bytes that are read in all. */
  bytes: number
  /** The most matches that are counted if not all can be found. */
  counted: number
  /** The most matches that can be read then. */
  readable: number
}

/** 15.5 MB are 1,900 read units. */
export const searchBudget: SearchBudget = { rows: 30_000, bytes: 15_500_000, counted: 10_000, readable: 1_000 }

/** Users found by words and an attribute. */
export type Candidates = {
  /** The hints of the users, by id: what they are searched and sorted by. */
  hints: Map<string, string>
  /** Whether these are all who match. */
  foundAll: boolean
  /** Whether all of them have the wanted attribute, or none is wanted. If false, some may lack it. */
  allHaveAttribute: boolean
}

type Wanted = Pick<UserCondition, 'words' | 'attribute' | 'mayMatch'>

/**
 * Reads the rows of every word and of the attribute, a page of each in turn. The first range that ends contains all matches. If none
 * ends within the budget, only some matches were found.
 */
export async function candidates(
  { query }: Pick<Context['store'], 'query'>,
  { words = [], attribute, mayMatch }: Wanted,
  { rows }: SearchBudget,
  byteBudget: ByteBudget,
): Promise<Candidates> {
  const wanted = words
    .slice(0, keys.WORDS_READ)
    .map((word) => ({ range: keys.wordsLike(word), userOf: keys.userOfWord }))
  if (attribute) wanted.push({ range: keys.havingAttribute(attribute.name, attribute.value), userOf: keys.userOfRow })
  // Several ranges together cost little more than one.
  const share = Math.min(rows, Math.ceil((rows * 4) / 3 / wanted.length))
  const limited = (most: number) => limitedStore({ query }, { rows: most, byteBudget })
  /** A range to be read, which collects the hints of the users who may match. */
  const collecting = (range: Range, userOf: (row: Item) => string, most: number) => {
    const hints = new Map<string, string>()
    const onRows = (some: readonly Item[]): void => {
      for (const row of some) if (mayMatch(String(row.hint))) hints.set(userOf(row), String(row.hint))
    }
    return { store: limited(most), range, onRows, hints }
  }
  const ranges = wanted.map(({ range, userOf }) => collecting(range, userOf, share))
  // Users with too many words have no rows of words: they are in one list, which is read as well.
  const manyWords = collecting(keys.usersWithManyWords, keys.userOfWord, Math.ceil(rows / 4))
  const [ended, isManyWordsWhole] = await Promise.all([
    readAlternately(ranges),
    words.length === 0 || readRange(manyWords),
  ])
  // Users with a word may lack the attribute. If no range ends, only the rows of the attribute are sure to match.
  const used = ended === undefined ? (attribute ? ranges.slice(-1) : ranges) : ranges.slice(ended, ended + 1)
  const isOfAttribute = attribute !== undefined && used[0] === ranges.at(-1)
  return {
    hints: new Map([...used, ...(isOfAttribute ? [] : [manyWords])].flatMap(({ hints }) => [...hints])),
    foundAll: ended !== undefined && (isOfAttribute || isManyWordsWhole),
    allHaveAttribute: attribute === undefined || isOfAttribute,
  }
}
