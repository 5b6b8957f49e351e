import { faulty } from '../../base/errors.ts'
import { fold } from '../../base/text.ts'
import type { Context } from '../../request/context.ts'
import { type ByteBudget, type LimitedStore, limitedStore, readInStep, readRange } from '../../table/budget.ts'
import * as keys from '../../table/keys.ts'
import type { Item, Range } from '../../table/store.ts'
import { loadUsers, readUser, type UserRecord } from '../records/user.ts'
import {
  listsOf,
  matchesStatusAndRole,
  overdueUsers,
  type Sortable,
  sortableOf,
  type UserFilter,
  type UserList,
} from '../records/userLists.ts'
import { attributeOf, hintOf, type Match, profileOf, profileOfHint } from '../records/userSearch.ts'
import { firstInOrder } from './firstInOrder.ts'

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

/** Users who match a search by its words and its attribute. */
type Candidates = {
  /** The hints of the users, by id: what they are searched and sorted by. */
  hints: Map<string, string>
  /** Whether these are all who match. */
  foundAll: boolean
  /** Whether all of them have the wanted attribute, or none is wanted. If false, some may lack it. */
  hasAttribute: boolean
}

type Wanted = Pick<UserFilter, 'words' | 'matchesWords'> & Partial<Pick<UserFilter, 'attribute'>>

/**
 * Reads the rows of every word and of the attribute in step. The first range that ends contains all matches. If none
 * ends within the budget, only some matches were found.
 */
export async function candidates(
  store: Context['store'],
  { words, attribute, matchesWords }: Wanted,
  { rows }: SearchBudget,
  byteBudget: ByteBudget,
): Promise<Candidates> {
  const wanted = words
    .slice(0, keys.WORDS_READ)
    .map((word) => ({ range: keys.wordsLike(word), userOf: keys.userOfWord }))
  if (attribute) wanted.push({ range: keys.havingAttribute(attribute.name, attribute.value), userOf: keys.userOfRow })
  // Several ranges together cost little more than one.
  const share = Math.min(rows, Math.ceil((rows * 4) / 3 / wanted.length))
  const ranges = wanted.map(({ range, userOf }) =>
    collecting(limitedStore({ query: store.query }, { rows: share, byteBudget }), range, userOf, matchesWords),
  )
  // Users with too many words have no rows of words: they are in one list, which is read as well.
  const wordyMeter = limitedStore({ query: store.query }, { rows: Math.ceil(rows / 4), byteBudget })
  const wordy = collecting(wordyMeter, keys.wordyUsers, keys.userOfWord, matchesWords)
  const [ended, isWordyWhole] = await Promise.all([readInStep(ranges), words.length === 0 || readRange(wordy)])
  // Users with a word may lack the attribute. If no range ends, only the rows of the attribute are sure to match.
  const used = ended === undefined ? (attribute ? ranges.slice(-1) : ranges) : ranges.slice(ended, ended + 1)
  const isOfAttribute = attribute !== undefined && used[0] === ranges.at(-1)
  return {
    hints: new Map([...used, ...(isOfAttribute ? [] : [wordy])].flatMap(({ hints }) => [...hints])),
    foundAll: ended !== undefined && (isOfAttribute || isWordyWhole),
    hasAttribute: attribute === undefined || isOfAttribute,
  }
}

/** A range to be read, which collects the hints of the users who match. */
function collecting(meter: LimitedStore, range: Range, userOf: (row: Item) => string, matchesWords: Match) {
  const hints = new Map<string, string>()
  const onRows = (rows: readonly Item[]): void => {
    for (const row of rows) {
      const hint = String(row.hint)
      if (matchesWords(hint)) hints.set(userOf(row), hint)
    }
  }
  return { meter, range, onRows, hints }
}

/** A user who matches, with the record where it was read. */
export type Hit = Sortable & { record?: UserRecord }

type Reader = Pick<Context, 'store' | 'now'>

/** A search under way, with the users found by words and attribute. */
export type Search = Candidates & {
  context: Reader
  filter: UserFilter
  budget: SearchBudget
  /** The store, with what is left of the budget, for all further reads. */
  meter: LimitedStore
  /** The lists of the statuses and roles that are asked for. */
  lists: readonly UserList[]
  /** The hit of one of the `hints`. */
  hitOf: (one: readonly [id: string, hint: string]) => Hit
  /** Whether the user of a row may match, as far as the row shows. */
  rowMayMatch: (row: Item) => boolean
}

/** Begins a search: reads the rows of words and attributes. */
export async function beginSearch(context: Reader, filter: UserFilter, budget: SearchBudget): Promise<Search> {
  const byteBudget = { bytes: budget.bytes }
  const [found, overdue, named] = await Promise.all([
    candidates(context.store, filter, budget, byteBudget),
    overdueUsers(context),
    namedById(context, filter),
  ])
  const { hints, foundAll } = found
  for (const id of overdue) hints.delete(id)
  if (named) hints.set(named.id, hintOf(profileOf(named)))
  const rowMayMatch = (row: Item): boolean => {
    const id = keys.userOfRow(row)
    return hints.has(id) || (!foundAll && !overdue.has(id) && hintMayMatch(String(row.hint), filter))
  }
  const hitOf: Search['hitOf'] = (one) => (named?.id === one[0] ? sortableOf(named) : hitOfHint(one))
  const meter = limitedStore({ query: context.store.query }, { rows: budget.rows, byteBudget })
  return { ...found, context, filter, budget, meter, lists: listsOf(filter), hitOf, rowMayMatch }
}

/** The hit that a hint describes. */
const hitOfHint = ([id, hint]: readonly [id: string, hint: string]): Hit => ({
  id,
  profile: profileOfHint(hint),
})

/** Reads the records of these users, and returns those who pass all filters. */
export async function readMatches({ context, filter }: Search, some: readonly { id: string }[]): Promise<Hit[]> {
  const users = await loadUsers(
    context,
    some.map(({ id }) => id),
  )
  return [...users.values()].filter((user) => matchesFilter(user, filter)).map(sortableOf)
}

/** The records of a page. An index is a moment late: it can show a user in a list that they have left. */
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
 * The first rows in order that may be matches, if not all can be found. Refuses a sort by several fields if too many
 * matches have the same value of the first one.
 */
export async function walkMatches(store: LimitedStore, wanted: Parameters<typeof firstInOrder>[1]) {
  const { isStuck, ...walk } = await firstInOrder(store, wanted)
  if (isStuck)
    throw faulty(
      'VALIDATION_ERROR',
      'sort',
      'must not begin with a value that so many matches share: narrow the search',
    )
  return walk
}

/** Whether the user of a hint may pass all filters: hints lack status, role and most attributes. */
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

/** The user whose whole id is the search term, if they pass the other filters. */
async function namedById({ store, now }: Reader, filter: UserFilter): Promise<UserRecord | undefined> {
  if (!filter.term || /\s/.test(filter.term) || filter.term.length > 64) return undefined
  const user = await readUser(store, filter.term, now)
  return user && matchesFilter(user, filter) ? user : undefined
}
