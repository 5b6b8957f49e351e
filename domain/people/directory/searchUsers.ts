import { pageOf, type Window } from '../../request/paging.ts'
import { readRange } from '../../table/budget.ts'
import * as keys from '../../table/keys.ts'
import type { Item } from '../../table/store.ts'
import { countEach } from '../records/userCounts.ts'
import {
  type ListPlan,
  listsOf,
  matchesStatusAndRole,
  nameOfList,
  orderOf,
  planOf,
  sortableOfRow,
  sortUsers,
  type UserFilter,
  type UserList,
  type UserPage,
} from '../records/userLists.ts'
import { beginSearch, type Hit, readMatches, recordsOf, type Search, searchBudget, walkMatches } from './userMatches.ts'

/**
 * Users by search words and attributes. If the budget allows it, all matches are found, and sorted in memory. Otherwise
 * the answer has the first ones in the order of the sort, and `readable`. Tests pass a smaller budget.
 */
export async function searchUsers(
  context: Search['context'],
  filter: UserFilter,
  window: Window,
  budget = searchBudget,
): Promise<UserPage> {
  const { sorts } = filter
  const search = await beginSearch(context, filter, budget)
  const all = await allHits(search)
  const { hits, ...extent } = all ? { hits: all, total: all.length } : await firstHits(search)
  const { page, next } = pageOf(sortUsers(hits, sorts), orderOf(sorts), window)
  return { users: await recordsOf(search, page), next, ...extent }
}

const sortsBy = ({ filter }: Search, ...fields: string[]): boolean =>
  filter.sorts.some(({ field }) => fields.includes(field))

/** All users who match; undefined if the budget does not suffice. */
async function allHits(search: Search): Promise<Hit[] | undefined> {
  const { hints, foundAll, meter } = search
  const isOfAllLists = search.lists.length === allLists.length && !sortsBy(search, 'STATUS', 'ROLE')
  const hintsSuffice = foundAll && search.hasAttribute && !sortsBy(search, 'UPDATED_AT')
  if (hintsSuffice && isOfAllLists) return [...hints].map(search.hitOf)
  if (foundAll && meter.reserveRecords(hints.size)) return readMatches(search, [...hints].map(search.hitOf))
  return hitsByLists(search, hintsSuffice)
}

/** All matches by reading lists: the wanted ones, or all but the largest one, whichever are shorter. */
async function hitsByLists(search: Search, hintsSuffice: boolean): Promise<Hit[] | undefined> {
  const { lists, budget } = search
  const [inLists = 0, inSmall = 0] = await countEach(search.context, [lists, smallLists])
  if (hintsSuffice && inSmall <= Math.min(inLists, budget.rows)) return hitsOutsideSmallLists(search)
  return inLists <= budget.rows ? hitsInLists(search) : undefined
}

const allLists = listsOf({ statuses: [], roles: [] })
/** All lists except that of active users who are not administrators: this one has nearly all users. */
const smallLists = allLists.filter(({ status, role }) => status !== 'ACTIVE' || role !== 'USER')

/** All matches, by reading every list of the statuses and roles that are asked for. */
async function hitsInLists(search: Search): Promise<Hit[] | undefined> {
  const index = sortsBy(search, 'UPDATED_AT') ? 'by_updated_at' : 'by_id'
  const hits: Hit[] = []
  const isRead = await readLists(search, search.lists, index, (row, list) => {
    if (search.rowMayMatch(row)) hits.push(sortableOfRow(row, list))
  })
  if (!isRead) return undefined
  if (search.filter.attribute === undefined || (search.foundAll && search.hasAttribute)) return hits
  return search.meter.reserveRecords(hits.length) ? readMatches(search, hits) : undefined
}

/** All matches. The largest list is too long to be read, but users who are in no small list are in it. */
async function hitsOutsideSmallLists(search: Search): Promise<Hit[] | undefined> {
  const listOf = new Map<string, UserList>()
  const isRead = await readLists(search, smallLists, 'by_id', (row, list) => listOf.set(keys.userOfRow(row), list))
  if (!isRead) return undefined
  const largest: UserList = { status: 'ACTIVE', role: 'USER' }
  return [...search.hints]
    .map((one) => ({ ...search.hitOf(one), ...(listOf.get(one[0]) ?? largest) }))
    .filter((hit) => matchesStatusAndRole(hit, search.filter))
}

/** Passes all rows of the lists to `see`; false if the budget does not suffice. */
async function readLists(
  { meter }: Search,
  lists: readonly UserList[],
  index: string,
  see: (row: Item, list: UserList) => void,
): Promise<boolean> {
  const read = lists.map((list) => {
    const range = { index, hash: nameOfList(list), only: ['pk', 'hint', index] }
    const seeAll = (rows: readonly Item[]): void => {
      for (const row of rows) see(row, list)
    }
    return readRange({ meter, range, onRows: seeAll })
  })
  return (await Promise.all(read)).every(Boolean)
}

/** Matches in order, and how many were found. `readable`, how many can be read, is set if there may be more. */
type FirstHits = { hits: Hit[]; total: number; readable?: number }

/**
 * The first matches in the order of the sort, if not all can be found. Refuses a sort by several fields if too many
 * matches have the same value of the first one.
 */
async function firstHits(search: Search): Promise<FirstHits> {
  const { filter, budget, hints, lists, meter, rowMayMatch } = search
  const plan = planOf(filter.sorts, lists)
  const { segments, index, descending, sorts } = plan
  const needsRecords = needsRecordsFor(search, plan)
  const { rows, seen, isOver } = await walkMatches(meter, {
    segments: segments.map((some) => some.map(nameOfList)),
    order: { index, descending },
    keep: rowMayMatch,
    wholeRunsOnly: sorts.length > 1,
    needsRecords,
    most: budget.readable,
    countUpTo: allHintsMatch(search) ? 0 : budget.counted,
  })
  const some = rows.map((row) => sortableOfRow(row))
  const hits = sortUsers(needsRecords ? await readMatches(search, some) : some, filter.sorts).map(
    ({ record }) => record,
  )
  if (isOver) return { hits, total: hits.length }
  const found = allHintsMatch(search)
    ? new Set([...hints.keys(), ...hits.map(({ id }) => id)]).size
    : Math.max(hits.length, needsRecords ? 0 : seen)
  const shown = hits.slice(0, budget.readable)
  return { hits: shown, total: Math.min(found, budget.counted), readable: shown.length }
}

/** Whether rows are not enough: only records show who has the attribute, or the value that the sort needs. */
const needsRecordsFor = ({ filter, foundAll, hasAttribute }: Search, { index }: ListPlan): boolean =>
  (filter.attribute !== undefined && !(foundAll && hasAttribute)) ||
  (index !== 'by_updated_at' && filter.sorts.some(({ field }) => field === 'UPDATED_AT'))

/** Whether all users with a hint are matches. Then the total counts hints, not the rows that the walk sees. */
const allHintsMatch = ({ filter: { statuses, roles }, hasAttribute }: Search): boolean =>
  hasAttribute && statuses.length === 0 && roles.length === 0
