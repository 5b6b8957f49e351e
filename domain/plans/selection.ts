import { chunksOf } from '../base/parallel.ts'
import { momentAfter } from '../base/text.ts'
import { termWords } from '../base/words.ts'
import { candidates, searchBudget } from '../people/finding/candidates.ts'
import { groupMembers } from '../people/records/group.ts'
import { roleLists } from '../people/records/groupLists.ts'
import type { UserRecord, UserStatus } from '../people/records/user.ts'
import { userCounts } from '../people/records/userCounters.ts'
import { allLists, listsOf, matchesStatusAndRole, nameOfList } from '../people/records/userLists.ts'
import { matching } from '../people/records/userMatch.ts'
import { attributeOf, hintOf, profileOf } from '../people/records/userSearch.ts'
import { countUsers, summarizeCounts } from '../people/records/userTotals.ts'
import * as keys from '../table/keys.ts'
import { mergeLists } from '../table/lists.ts'
import { all } from '../table/reader.ts'
import { defineItem } from '../table/records.ts'
import { type Action, type Item, type Key, readEach, type Store } from '../table/store.ts'
import type { Plan, PlanRequest } from './plan.ts'

// Which users a plan is about. Where few can match, an index finds them, and their IDS are kept. Otherwise a WALK looks at all users
// in the order of their ids: a change of status or name moves nobody in that order.

type Select = NonNullable<PlanRequest['select']>

const listed = <T extends string>(one: unknown): T[] => (one === undefined ? [] : ([one].flat() as T[]))

const filterOf = ({ status, role }: Select) => ({
  statuses: listed<UserStatus>(status),
  roles: listed<UserRecord['role']>(role),
})

/** The words of a search term. A term can have none, though it is not blank. */
export const wordsOf = ({ search_term }: Pick<Select, 'search_term'>): string[] => termWords(search_term ?? '')

/** Returns a test: whether a user has all fields that a selection names. */
export function fieldsMatch(select: Select): (user: UserRecord) => boolean {
  const { attribute_technical_name: name, attribute_value: value, tag, search_term } = select
  const filter = filterOf(select)
  const isFound = matching(wordsOf(select))
  const id = search_term?.trim()
  return (user) =>
    matchesStatusAndRole(user, filter) &&
    (name === undefined || attributeOf(user, name) === value) &&
    (tag === undefined || user.tags.some((one) => one.name === tag)) &&
    (search_term === undefined || user.id === id || isFound(hintOf(profileOf(user))))
}

/** Returns the keys of the assignments of which a selected user has at least one; undefined if no group is asked for. */
export async function assignmentKeys(
  store: Pick<Store, 'query'>,
  { user_group_id: group, role_id: role }: Select,
): Promise<((user: string) => Key[]) | undefined> {
  if (group === undefined) return undefined
  const roles = role === undefined ? (await rolesIn(store, group)).map((one) => one.role) : [role]
  return (user) => roles.map((one) => keys.groupAssignmentKey(user, group, one))
}

const rolesIn = async (store: Pick<Store, 'query'>, group: string) =>
  roleLists(group, await groupMembers(group).read(store, 'strong'))

// Ids.

const idRows = defineItem<{ ids: string[] }>()
/** Bytes of the ids of one item, which may have 400 kB. Ids that callers give may be long, as nobody needs to have them. */
const BYTES_PER_ITEM = 200_000

/** Writes the ids of the users that a plan is about, in their order. */
export function idItems(plan: string, ids: readonly string[]): Action[] {
  const items: string[][] = []
  let bytes = BYTES_PER_ITEM
  for (const id of ids) {
    bytes += Buffer.byteLength(id)
    if (bytes > BYTES_PER_ITEM) {
      items.push([])
      bytes = Buffer.byteLength(id)
    }
    items.at(-1)?.push(id)
  }
  return items.map((some, n) => ({ put: idRows.item(keys.planItemKey(plan, 'IDS', n), { ids: some }) }))
}

/** These ids. */
export const readIds = async (store: Pick<Store, 'query'>, plan: string): Promise<string[]> =>
  (await all(store, keys.planItems(plan, 'IDS'))).flatMap((item) => idRows.of(item).ids)

/** The most users whose ids are kept. */
const FEW = 30_000

/** The ids of all users who may match, sorted, if an index shows that they are few; undefined if not. */
export async function fewIds(store: Store, select: Select): Promise<string[] | undefined> {
  const found = await inGroup(store, select)
  if (found) return found
  const { attribute_technical_name: name, attribute_value: value } = select
  const words = wordsOf(select)
  const attribute = name !== undefined && value !== undefined ? { name, value } : undefined
  if (words.length === 0 && !attribute) return undefined
  const budget = { bytes: searchBudget.bytes }
  const { hints, foundAll } = await candidates(
    store,
    { words, attribute, mayMatch: matching(words) },
    searchBudget,
    budget,
  )
  const id = select.search_term?.trim()
  return foundAll && hints.size < FEW ? [...new Set([...hints.keys(), ...(id ? [id] : [])])].sort() : undefined
}

async function inGroup(store: Store, { user_group_id: group, role_id }: Select): Promise<string[] | undefined> {
  if (group === undefined) return undefined
  const lists = (await rolesIn(store, group)).filter(({ role }) => role_id === undefined || role === role_id)
  if (lists.reduce((sum, { size }) => sum + size, 0) > FEW) return undefined
  const rows = await Promise.all(lists.map(({ list }) => all(store, { index: 'by_last_name', hash: list })))
  return [...new Set(rows.flat().map(keys.userOfRow))].sort()
}

// The walk.

/** Users that a walk has looked at: those who may match, how many there were, and the last one. */
type Looked = { ids: string[]; looked: number; after: string }

const ROWS = 1_000

/** Rows of all users of the statuses and roles of a selection, in the order of their ids. */
export async function* walkRows(store: Store, select: Select, after: string | null): AsyncGenerator<Item[]> {
  const lists = listsOf(filterOf(select)).map(nameOfList)
  const order = { index: 'by_id', descending: false, likely: ROWS, more: ROWS }
  yield* mergeLists(store, { ...order, lists, ...(after === null ? {} : { start: after }) })
}

/** Walks over all users of the statuses and roles of a selection, in the order of their ids. Those whose hints match may match. */
export async function* walk(store: Store, select: Select, after: string | null): AsyncGenerator<Looked> {
  const mayMatch = rowMayMatch(select)
  for await (const some of walkRows(store, select, after)) {
    const ids = [...new Set(some.filter(mayMatch).map(keys.userOfRow))]
    yield { ids, looked: some.length, after: keys.userOfRow(some.at(-1) as Item) }
  }
}

/** Returns a test: whether the user of a row may match, as far as lists show users. */
export function rowMayMatch(select: Select): (row: Item) => boolean {
  const lists = new Set(listsOf(filterOf(select)).map(nameOfList))
  const isFound = matching(wordsOf(select))
  const id = select.search_term?.trim()
  return (row) => lists.has(String(row.list)) && (keys.userOfRow(row) === id || isFound(String(row.hint)))
}

/** Whether lists show all that a selection asks for. */
export const isOfLists = (select: Select): boolean =>
  Object.keys(select).every((field) => field === 'all' || field === 'status' || field === 'role')

/** How many users a walk looks at, about. */
export const countWalk = (context: { store: Store; now: string }, select: Select): Promise<number> =>
  countUsers(context, listsOf(filterOf(select)))

/** A digest of all moves of users between statuses and roles: an equal one later proves that nobody has moved or come meanwhile. */
export const digestOfCounts = async (store: Store): Promise<string> =>
  summarizeCounts(await userCounts.read(store, 'strong'), allLists).digest

/** The clocks of functions differ, and a call takes up to 30 seconds. */
const EARLIER_MS = 60_000

/** Users who have changed since then are looked for again after a walk. */
export const recentFrom = ({ created_at }: Pick<Plan, 'created_at'>): string => momentAfter(created_at, -EARLIER_MS)

/** Notes recent users that a step of a walk has seen: they must not be counted again. */
export const seenItem = ({ id, position }: Plan, ids: readonly string[]): Item =>
  idRows.item(keys.planItemKey(id, 'SEEN', position.step), { ids: [...ids] })

/**
 * Recent users whom a walk has not seen. A user who moves from one list to another while both are read can be missed by it; such a
 * user has changed.
 */
export async function missedBy(store: Store, plan: Plan): Promise<string[]> {
  const from = keys.valueOfText(recentFrom(plan))
  const lists = listsOf(filterOf(plan.request.select ?? {})).map(nameOfList)
  const rows = await Promise.all(lists.map((hash) => all(store, { index: 'by_updated_at', hash, from })))
  const seen = new Set((await all(store, keys.planItems(plan.id, 'SEEN'))).flatMap((item) => idRows.of(item).ids))
  const ids = [...new Set(rows.flat().map(keys.userOfRow))].filter((id) => !seen.has(id)).sort()
  const missed: string[] = []
  for (const some of chunksOf(ids, 100)) {
    const changes = await Promise.all(some.map((id) => store.query({ ...keys.planChangesOf(id, plan.id), limit: 1 })))
    missed.push(...some.filter((_, n) => changes[n]?.count === 0))
  }
  return missed
}

/** Whether a user has one of these assignments; the key of the first one. */
export const firstHeld = async (store: Pick<Store, 'get'>, assignments: readonly Key[]): Promise<Key | undefined> =>
  (await readEach(store, assignments))[0]
