import { isReference } from '../../base/values.ts'
import { type ListSize, pageOf, type Window } from '../../request/askedPage.ts'
import type { Context } from '../../request/context.ts'
import { BudgetSpent, type LimitedStore, limitedStore, readRange } from '../../table/budget.ts'
import * as keys from '../../table/keys.ts'
import type { Item } from '../../table/store.ts'
import { overdueUsers } from '../records/deadlineItem.ts'
import { readUser, type UserRecord } from '../records/user.ts'
import { ownerOfName } from '../records/userByName.ts'
import {
  allLists,
  listsOf,
  matchesStatusAndRole,
  nameOfList,
  orderOf,
  type Sortable,
  sortableOf,
  sortableOfRow,
  sortedReadOf,
  sortUsers,
  type UserCondition,
  type UserFilter,
  type UserList,
  type UserName,
} from '../records/userLists.ts'
import { loadUsers } from '../records/userReference.ts'
import { hintOf, profileOf, profileOfHint } from '../records/userSearch.ts'
import { countEach } from '../records/userTotals.ts'
import { type Candidates, candidates, type SearchBudget, searchBudget } from './candidates.ts'
import { firstMatches } from './firstInOrder.ts'
import { orderedUsers } from './orderedUsers.ts'

// The ways to a page of users, for all lists of users: listUsers, listPeople and SCIM. The first that fits is taken; each one costs
// more or finds less than the one before. Each is one function, and exists for one promise of docs/performance.md.
//
// way          | fits                                           | reads                      | promise
// orderedUsers | no condition but status and role               | the index of the sort      | a first page among 100,000 users is
//              |                                                |                            | as cheap as among 1,000
// byName       | each match has one of some ids, usernames or   | reservations and records,  | a user created a moment ago is
//              | external ids                                   | as they are now            | found
// byWords      | few rows of a word or of the attribute: they   | these; few enough records  | up to 1,000 matches within 100 ms
//              | show all matches                               | if rows do not decide      |
// byLists      | few rows in lists of the statuses and roles,   | these                      | any search within 1.5 s, and an
//              | or in all lists but the largest,               |                            | exact total of 10,000 matches
//              | or of the latest changes                       |                            |
// firstOnes    | the caller takes the first matches only        | the lists in order, until  | 2,000 read units, whatever the
//              |                                                | the budget is spent        | search matches
//
// A HINT is the attribute `hint` of a row: what its user is searched and sorted by, as one string (`hintOf` in userSearch.ts).
// "Few" means: within `searchBudget`, which is 30,000 rows. Reading a record costs as much as 16 rows.

type Reader = Pick<Context, 'store' | 'now'>
type Show<V> = (users: UserRecord[]) => Promise<V[]>
type Asked = { context: Reader; filter: UserFilter; budget: SearchBudget }

/** A user who matches, with the record where it was read. */
type Hit = Sortable & { record?: UserRecord }
/** The matches. `readable`, how many of them can be read, is set if there may be more; then `total` is how many were found. */
type Found = { hits: Hit[]; total?: number; readable?: number }

/** A page of users, shown by `show`. With `isAllOrNone` in the filter's condition it throws BudgetSpent if there are too many matches. */
export async function findUsers<V>(
  context: Reader,
  filter: UserFilter,
  window: Window,
  show: Show<V>,
  budget = searchBudget,
): Promise<{ users: V[] } & ListSize> {
  const { condition, sorts } = filter
  if (!condition) return orderedUsers(context, filter, window, show)
  const found = await firstFound({ context, filter, budget }, condition)
  const { hits, total = hits.length, readable } = found
  const { page, next } = pageOf(sortUsers(hits, sorts), orderOf(sorts), window)
  return { users: await show(await recordsOf(context, filter, page)), total, readable, next }
}

/** The matches, by the first way that fits. */
async function firstFound(asked: Asked, condition: UserCondition): Promise<Found> {
  const named = await byName(asked, condition)
  if (named) return named
  const search = await beginSearch(asked, condition)
  for (const way of [byWords, byLists, firstOnes]) {
    const found = await way(search)
    if (found) return found
  }
  throw new BudgetSpent()
}

/** The records of a page. An index is a moment late: it can show a user in a list that they have left. */
async function recordsOf(context: Reader, filter: UserFilter, page: readonly Hit[]): Promise<UserRecord[]> {
  const records = page.flatMap(({ record }) => record ?? [])
  if (records.length === page.length) return records
  const users = await loadUsers(
    context,
    page.map(({ id }) => id),
  )
  return [...users.values()].filter((user) => matchesStatusAndRole(user, filter))
}

const matchesAll = (user: UserRecord, { filter, condition }: Pick<Search, 'filter' | 'condition'>): boolean =>
  matchesStatusAndRole(user, filter) && condition.matches(user)

// By name.

async function byName({ context, filter }: Asked, condition: UserCondition): Promise<Found | undefined> {
  if (!condition.names) return undefined
  const found = await Promise.all(condition.names.map((name) => readNamed(context, name)))
  const users = new Map(found.flatMap((user) => (user ? [[user.id, user] as const] : [])))
  return { hits: [...users.values()].filter((user) => matchesAll(user, { filter, condition })).map(sortableOf) }
}

async function readNamed({ store, now }: Reader, { by, value }: UserName): Promise<UserRecord | undefined> {
  // No user can have such a name, and it may be too long for a key.
  if (!isReference(value)) return undefined
  if (by === 'id') return readUser(store, value, now)
  return ownerOfName(store, by === 'username' ? keys.usernameKey(value) : keys.externalIdKey(value), now)
}

// By words and by lists.

/** A search under way, with the users found by words and attribute. */
type Search = Asked &
  Candidates & {
    condition: UserCondition
    /** The store, with what is left of the budget, for all further reads. */
    limited: LimitedStore
    /** The lists of the statuses and roles that are asked for. */
    lists: readonly UserList[]
    /** Whether the lists and hints of users show who of the found ones match. */
    rowsDecide: boolean
    /** The hit of one of the `hints`. */
    hitOf: (one: readonly [id: string, hint: string]) => Hit
    /** Whether the user of a row may match, as far as the row shows. */
    rowMayMatch: (row: Item) => boolean
  }

/** Reads the rows of words and attributes. */
async function beginSearch({ context, filter, budget }: Asked, condition: UserCondition): Promise<Search> {
  const { words = [], attribute, mayMatch, isHintEnough } = condition
  const byteBudget = { bytes: budget.bytes }
  const lists = listsOf(filter)
  const hasRows = words.length > 0 || attribute !== undefined
  const hasPendingDeletion = lists.some(({ status }) => status === 'PENDING_DELETION')
  const [found, overdue, named] = await Promise.all([
    hasRows ? candidates(context.store, condition, budget, byteBudget) : nobody,
    hasPendingDeletion ? overdueUsers(context) : new Set<string>(),
    condition.id === undefined ? undefined : readUser(context.store, condition.id, context.now),
  ])
  const { foundAll, allHaveAttribute } = found
  const hints = new Map([...found.hints].filter(([id]) => !overdue.has(id)))
  const isNamed = named && matchesAll(named, { filter, condition })
  if (isNamed) hints.set(named.id, hintOf(profileOf(named)))
  const rowMayMatch = (row: Item): boolean => {
    const id = keys.userOfRow(row)
    return hints.has(id) || (!foundAll && !overdue.has(id) && mayMatch(String(row.hint)))
  }
  const hitOf: Search['hitOf'] = ([id, hint]) =>
    isNamed && named.id === id ? sortableOf(named) : { id, profile: profileOfHint(hint) }
  const limited = limitedStore({ query: context.store.query }, { rows: budget.rows, byteBudget })
  const rowsDecide = isHintEnough && (attribute === undefined || (foundAll && allHaveAttribute))
  return { ...found, hints, context, filter, budget, condition, limited, lists, rowsDecide, hitOf, rowMayMatch }
}

const nobody: Candidates = { hints: new Map(), foundAll: false, allHaveAttribute: true }

const sortsBy = ({ filter }: Search, ...fields: string[]): boolean =>
  filter.sorts.some(({ field }) => fields.includes(field))

/** Those of these users who match; undefined if the budget does not allow to read their records. */
const checkedIfAffordable = async (search: Search, some: readonly Hit[]): Promise<Hit[] | undefined> =>
  search.limited.reserveRecords(some.length) ? checked(search, some) : undefined

async function checked(search: Search, some: readonly Hit[]): Promise<Hit[]> {
  const users = await loadUsers(
    search.context,
    some.map(({ id }) => id),
  )
  return [...users.values()].filter((user) => matchesAll(user, search)).map(sortableOf)
}

const asFound = (hits: Hit[] | undefined): Found | undefined => hits && { hits }

async function byWords(search: Search): Promise<Found | undefined> {
  if (!search.foundAll) return undefined
  const hits = [...search.hints].map(search.hitOf)
  const isOfAllLists = search.lists.length === allLists.length && !sortsBy(search, 'STATUS', 'ROLE')
  const areEnough = search.rowsDecide && isOfAllLists && !sortsBy(search, 'UPDATED_AT')
  return asFound(areEnough ? hits : await checkedIfAffordable(search, hits))
}

/** The list that has nearly all users, and all others. */
const largest: UserList = { status: 'ACTIVE', role: 'USER' }
const smallLists = allLists.filter(({ status, role }) => status !== largest.status || role !== largest.role)

/** Found users who are in no small list are in the largest one: so that need not be read. */
async function byLists(search: Search): Promise<Found | undefined> {
  const { condition, filter, hints } = search
  const lists = await listsToRead(search)
  const hits = new Map<string, Hit>()
  const notInSmallLists = new Set(lists === smallLists && matchesStatusAndRole(largest, filter) ? hints.keys() : [])
  const index = condition.since !== undefined || sortsBy(search, 'UPDATED_AT') ? 'by_updated_at' : 'by_id'
  const from = condition.since === undefined ? {} : { from: keys.valueOfText(condition.since) }
  const reading = lists?.map((list) => {
    const range = { index, hash: nameOfList(list), only: ['pk', 'hint', index], ...from }
    const onRows = (rows: readonly Item[]): void => {
      for (const row of rows) {
        notInSmallLists.delete(keys.userOfRow(row))
        if (matchesStatusAndRole(list, filter) && search.rowMayMatch(row))
          hits.set(keys.userOfRow(row), sortableOfRow(row, list))
      }
    }
    return readRange({ store: search.limited, range, onRows })
  })
  if (!reading || !(await Promise.all(reading)).every(Boolean)) return undefined
  for (const id of notInSmallLists) hits.set(id, { ...search.hitOf([id, hints.get(id) ?? '']), ...largest })
  return asFound(search.rowsDecide ? [...hits.values()] : await checkedIfAffordable(search, [...hits.values()]))
}

/** The wanted lists, or the small ones if these are shorter and suffice; undefined if they are too long. */
async function listsToRead(search: Search): Promise<readonly UserList[] | undefined> {
  const { lists, budget, condition } = search
  if (condition.since !== undefined) return lists
  const [inLists = 0, inSmall = 0] = await countEach(search.context, [lists, smallLists])
  const isEnough = search.foundAll && search.rowsDecide && !sortsBy(search, 'UPDATED_AT')
  if (isEnough && inSmall <= Math.min(inLists, budget.rows)) return smallLists
  return inLists <= budget.rows ? lists : undefined
}

/** The first matches in the order of the sort, if not all can be found. */
async function firstOnes(search: Search): Promise<Found | undefined> {
  const { filter, budget, hints, lists, limited, rowMayMatch, condition, allHaveAttribute } = search
  if (condition.isAllOrNone) return undefined
  const { segments, index, descending, sorts } = sortedReadOf(filter.sorts, lists)
  const needsRecords = !search.rowsDecide || (index !== 'by_updated_at' && sortsBy(search, 'UPDATED_AT'))
  // If all users with a hint are matches, the total counts hints, not the rows that are read.
  const allHintsMatch = allHaveAttribute && filter.statuses.length === 0 && filter.roles.length === 0
  const { rows, seen, isOver } = await firstMatches(limited, {
    segments: segments.map((some) => some.map(nameOfList)),
    order: { index, descending },
    keep: rowMayMatch,
    wholeTiesOnly: sorts.length > 1,
    needsRecords,
    most: budget.readable,
    countUpTo: allHintsMatch ? 0 : budget.counted,
  })
  const some = rows.map((row) => sortableOfRow(row))
  const hits = sortUsers(needsRecords ? await checked(search, some) : some, filter.sorts).map(({ record }) => record)
  if (isOver) return { hits }
  const found = allHintsMatch
    ? new Set([...hints.keys(), ...hits.map(({ id }) => id)]).size
    : Math.max(hits.length, needsRecords ? 0 : seen)
  const shown = hits.slice(0, budget.readable)
  return { hits: shown, total: Math.min(found, budget.counted), readable: shown.length }
}
