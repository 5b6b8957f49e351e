import type { Context } from '../request/context.ts'
import { type Meter, metered, type Purse, readAll, readInStep } from '../table/budget.ts'
import * as keys from '../table/keys.ts'
import { havingAttribute, userOfWord, WORDS_READ, wordsLike, wordyUsers } from '../table/places.ts'
import type { Item, Range } from '../table/store.ts'
import type { UserFilter } from './userLists.ts'
import type { Match } from './userSearch.ts'

/** What one search may read and answer, whatever it asks for. */
export type SearchBudget = {
  /** Rows that are read of one word, and rows that are read of the sorted lists. */
  rows: number
  /** Bytes that are read in all. */
  bytes: number
  /** The most matches that are counted where not all can be found. */
  counted: number
  /** The most matches that can be read then. */
  readable: number
}

/** So many bytes are 1,900 read units. */
export const searchBudget: SearchBudget = { rows: 30_000, bytes: 15_500_000, counted: 10_000, readable: 1_000 }

/** Users who match a search, as far as search words and values of attributes tell. */
export type Candidates = {
  /** What they are searched and sorted by, as a hint, by id. */
  hints: Map<string, string>
  /** Whether these are all. */
  isWhole: boolean
  /** Whether they are known to have the attribute that is asked for. */
  isProven: boolean
}

type Asked = Pick<UserFilter, 'words' | 'isMatch'> & Partial<Pick<UserFilter, 'attribute'>>

/**
 * Reads the rows of every word and of the attribute in step. Once one of these ranges ends, all matches are in it. If
 * none ends within the budget, what was found is some of them.
 */
export async function candidates(
  store: Context['store'],
  { words, attribute, isMatch }: Asked,
  { rows }: SearchBudget,
  purse: Purse,
): Promise<Candidates> {
  const wanted = words.slice(0, WORDS_READ).map((word) => ({ range: wordsLike(word), userOf: userOfWord }))
  if (attribute) wanted.push({ range: havingAttribute(attribute.name, attribute.value), userOf: keys.userOfRow })
  // Several ranges together cost little more than one.
  const share = Math.min(rows, Math.ceil((rows * 4) / 3 / wanted.length))
  const ranges = wanted.map(({ range, userOf }) => finding(metered(store, share, purse), range, userOf, isMatch))
  const wordy = finding(metered(store, Math.ceil(rows / 4), purse), wordyUsers, userOfWord, isMatch)
  const [ended, isWordyWhole] = await Promise.all([
    readInStep(ranges),
    words.length === 0 || readAll(wordy.meter, wordy.range, wordy.see),
  ])
  // Those with a word may lack the attribute: unless a word's rows end, only those of the attribute are known to match.
  const telling = ended === undefined ? (attribute ? ranges.slice(-1) : ranges) : ranges.slice(ended, ended + 1)
  const isOfAttribute = attribute !== undefined && telling[0] === ranges.at(-1)
  return {
    hints: new Map([...telling, ...(isOfAttribute ? [] : [wordy])].flatMap(({ hints }) => [...hints])),
    isWhole: ended !== undefined && (isOfAttribute || isWordyWhole),
    isProven: attribute === undefined || isOfAttribute,
  }
}

/** Collects the matches among the rows of a range. */
function finding(meter: Meter, range: Range, userOf: (row: Item) => string, isMatch: Match) {
  const hints = new Map<string, string>()
  const see = (rows: readonly Item[]): void => {
    for (const row of rows) {
      const hint = String(row.hint)
      if (isMatch(hint)) hints.set(userOf(row), hint)
    }
  }
  return { meter, range, see, hints }
}
