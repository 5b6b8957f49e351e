import { faulty } from '../base/errors.ts'
import { fold } from '../base/text.ts'
import type { Context } from '../request/context.ts'
import * as keys from '../table/keys.ts'
import { type ByteBudget, type LimitedStore, limitedStore, readInStep, readRange, walkInOrder } from '../table/lists.ts'
import type { Item, Range } from '../table/store.ts'
import { loadUsers, readUser, type UserRecord } from './user.ts'
import {
  listsOf,
  matchesStatusAndRole,
  overdueUsers,
  type Sortable,
  sortableOf,
  type UserFilter,
  type UserList,
} from './userLists.ts'
import { attributeOf, hintOf, type Match, profileOf, profileOfHint } from './userSearch.ts'

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
  /** Whether they have the attribute that is asked for, or none is asked for. If false, some may lack it. */
  hasAttribute: boolean
}

type Asked = Pick<UserFilter, 'words' | 'matchesWords'> & Partial<Pick<UserFilter, 'attribute'>>

/**
 * Reads the rows of every word and of the attribute in step. Once one of these ranges ends, all matches are in it. If
 * none ends within the budget, what was found is some of them.
 */
export async function candidates(
  store: Context['store'],
  { words, attribute, matchesWords }: Asked,
  { rows }: SearchBudget,
  purse: ByteBudget,
): Promise<Candidates> {
  const wanted = words
    .slice(0, keys.WORDS_READ)
    .map((word) => ({ range: keys.wordsLike(word), userOf: keys.userOfWord }))
  if (attribute) wanted.push({ range: keys.havingAttribute(attribute.name, attribute.value), userOf: keys.userOfRow })
  // Several ranges together cost little more than one.
  const share = Math.min(rows, Math.ceil((rows * 4) / 3 / wanted.length))
  const ranges = wanted.map(({ range, userOf }) =>
    finding(limitedStore(store, share, purse), range, userOf, matchesWords),
  )
  const wordy = finding(limitedStore(store, Math.ceil(rows / 4), purse), keys.wordyUsers, keys.userOfWord, matchesWords)
  const [ended, isWordyWhole] = await Promise.all([readInStep(ranges), words.length === 0 || readRange(wordy)])
  // Those with a word may lack the attribute: unless a word's rows end, only those of the attribute are known to match.
  const telling = ended === undefined ? (attribute ? ranges.slice(-1) : ranges) : ranges.slice(ended, ended + 1)
  const isOfAttribute = attribute !== undefined && telling[0] === ranges.at(-1)
  return {
    hints: new Map([...telling, ...(isOfAttribute ? [] : [wordy])].flatMap(({ hints }) => [...hints])),
    isWhole: ended !== undefined && (isOfAttribute || isWordyWhole),
    hasAttribute: attribute === undefined || isOfAttribute,
  }
}

/** Collects the matches among the rows of a range. */
function finding(meter: LimitedStore, range: Range, userOf: (row: Item) => string, matchesWords: Match) {
  const hints = new Map<string, string>()
  const see = (rows: readonly Item[]): void => {
    for (const row of rows) {
      const hint = String(row.hint)
      if (matchesWords(hint)) hints.set(userOf(row), hint)
    }
  }
  return { meter, range, see, hints }
}

/** A user who matches, with the record where it was read. */
export type Hit = Sortable & { record?: UserRecord }

type Reader = Pick<Context, 'store' | 'now'>

/** A search under way, with what search words and values of attributes told. */
export type Search = Candidates & {
  context: Reader
  filter: UserFilter
  budget: SearchBudget
  /** Reads what else is needed. */
  meter: LimitedStore
  /** The lists of the statuses and roles that are asked for. */
  lists: readonly UserList[]
  /** One of the users that words and values told. */
  hitOf: (one: readonly [id: string, hint: string]) => Hit
  /** Whether the user of a row matches, as far as the row tells. */
  rowMayMatch: (row: Item) => boolean
}

/** Begins a search: reads the rows of words and attributes. */
export async function beginSearch(context: Reader, filter: UserFilter, budget: SearchBudget): Promise<Search> {
  const purse = { bytes: budget.bytes }
  const [found, overdue, named] = await Promise.all([
    candidates(context.store, filter, budget, purse),
    overdueUsers(context),
    namedById(context, filter),
  ])
  const { hints, isWhole } = found
  for (const id of overdue) hints.delete(id)
  if (named) hints.set(named.id, hintOf(profileOf(named)))
  const rowMayMatch = (row: Item): boolean => {
    const id = keys.userOfRow(row)
    return hints.has(id) || (!isWhole && !overdue.has(id) && hintMayMatch(String(row.hint), filter))
  }
  const hitOf: Search['hitOf'] = (one) => (named?.id === one[0] ? sortableOf(named) : hitOfHint(one))
  const meter = limitedStore(context.store, budget.rows, purse)
  return { ...found, context, filter, budget, meter, lists: listsOf(filter), hitOf, rowMayMatch }
}

/** What a hint tells of its user. */
const hitOfHint = ([id, hint]: readonly [id: string, hint: string]): Hit => ({
  id,
  profile: profileOfHint(hint),
})

/** Reads the records of these users, and answers those who pass all filters. */
export async function readMatches({ context, filter }: Search, some: readonly { id: string }[]): Promise<Hit[]> {
  const users = await loadUsers(
    context,
    some.map(({ id }) => id),
  )
  return [...users.values()].filter((user) => matchesFilter(user, filter)).map(sortableOf)
}

/** The records of a page. An index lags a moment behind: it can show a user in a list that they have left. */
export async function recordsOf({ context, filter }: Search, page: readonly Hit[]): Promise<UserRecord[]> {
  const records = page.flatMap(({ record }) => record ?? [])
  if (records.length === page.length) return records
  const users = await loadUsers(
    context,
    page.map(({ id }) => id),
  )
  return [...users.values()].filter((user) => matchesStatusAndRole(user, filter))
}

/**
 * The first rows in order that may be matches, where all cannot be found. Refuses a sort by several fields if too many
 * matches have the same value of the first one.
 */
export async function walkMatches(store: LimitedStore, wanted: Omit<Parameters<typeof walkInOrder>[1], 'ahead'>) {
  const { isStuck, ...walk } = await walkInOrder(store, { ...wanted, ahead: wanted.most })
  if (isStuck)
    throw faulty(
      'VALIDATION_ERROR',
      'sort',
      'must not begin with a value that so many matches share: narrow the search',
    )
  return walk
}

/** Whether the user of a hint can pass all filters: hints lack status, role and most attributes. */
function hintMayMatch(hint: string, { attribute, matchesWords }: UserFilter): boolean {
  if (!matchesWords(hint)) return false
  const { name, value = '' } = attribute ?? {}
  return (name !== 'department' && name !== 'location') || (profileOfHint(hint)[name] ?? '') === fold(value)
}

/** Whether a record passes all filters. */
export function matchesFilter(user: UserRecord, filter: UserFilter): boolean {
  const { attribute, externalId, username, term, matchesWords } = filter
  return (
    (username === undefined || keys.usernameKey(username).pk === keys.usernameKey(user.username).pk) &&
    (externalId === undefined || externalId === user.external_id) &&
    (attribute === undefined || attributeOf(user, attribute.name) === attribute.value) &&
    matchesStatusAndRole(user, filter) &&
    (user.id === term || matchesWords(hintOf(profileOf(user))))
  )
}

/** A term that is a user's whole id finds that user, if they pass the other filters. */
async function namedById({ store, now }: Reader, filter: UserFilter): Promise<UserRecord | undefined> {
  if (!filter.term || /\s/.test(filter.term) || filter.term.length > 64) return undefined
  const user = await readUser(store, filter.term, now)
  return user && matchesFilter(user, filter) ? user : undefined
}
