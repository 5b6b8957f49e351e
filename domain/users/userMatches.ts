import { fold } from '../base/text.ts'
import type { Context } from '../request/context.ts'
import { type Meter, metered } from '../table/budget.ts'
import * as keys from '../table/keys.ts'
import * as places from '../table/places.ts'
import type { Item } from '../table/store.ts'
import { type Candidates, candidates, type SearchBudget } from './candidates.ts'
import { loadUsers, readUser, type UserRecord } from './user.ts'
import {
  isAsked,
  listsOf,
  overdueUsers,
  type Sortable,
  sortableOf,
  type UserFilter,
  type UserList,
} from './userLists.ts'
import { attributeOf, hintOf, profileOf, profileOfHint } from './userSearch.ts'

/** A user who matches, with the record where it was read. */
export type Hit = Sortable & { record?: UserRecord }

type Reader = Pick<Context, 'store' | 'now'>

/** A search under way, with what search words and values of attributes told. */
export type Search = Candidates & {
  context: Reader
  filter: UserFilter
  budget: SearchBudget
  /** Reads what else is needed. */
  meter: Meter
  /** The lists of the statuses and roles that are asked for. */
  lists: readonly UserList[]
  /** One of the users that words and values told. */
  hitOf: (one: readonly [id: string, hint: string]) => Hit
  /** Whether the user of a row matches, as far as the row tells. */
  isHit: (row: Item) => boolean
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
  const isHit = (row: Item): boolean => {
    const id = keys.userOfRow(row)
    return hints.has(id) || (!isWhole && !overdue.has(id) && canFit(String(row.hint), filter))
  }
  const hitOf: Search['hitOf'] = (one) => (named?.id === one[0] ? sortableOf(named) : hitOfHint(one))
  const meter = metered(context.store, budget.rows, purse)
  return { ...found, context, filter, budget, meter, lists: listsOf(filter), hitOf, isHit }
}

/** What a hint tells of its user. */
const hitOfHint = ([id, hint]: readonly [id: string, hint: string]): Hit => ({
  id,
  profile: profileOfHint(hint),
})

/** What a row of a sorted list tells of its user. */
export const hitOfRow = (row: Item, list: UserList | undefined, index: string): Hit => ({
  ...hitOfHint([keys.userOfRow(row), String(row.hint)]),
  ...list,
  ...(index === 'by_updated_at'
    ? { updated_at: places.leadOf(places.placeIn(row, index)).slice(places.PRESENT.length) }
    : {}),
})

/** Those of these users who pass all filters, by their records. */
export async function judged({ context, filter }: Search, some: readonly { id: string }[]): Promise<Hit[]> {
  const users = await loadUsers(
    context,
    some.map(({ id }) => id),
  )
  return [...users.values()].filter((user) => fits(user, filter)).map(sortableOf)
}

/** The records of a page. An index lags a moment behind: it can show a user in a list that they have left. */
export async function recordsOf({ context, filter }: Search, page: readonly Hit[]): Promise<UserRecord[]> {
  const records = page.flatMap(({ record }) => record ?? [])
  if (records.length === page.length) return records
  const users = await loadUsers(
    context,
    page.map(({ id }) => id),
  )
  return [...users.values()].filter((user) => isAsked(user, filter))
}

/** Whether the user of a hint can pass all filters: hints lack status, role and most attributes. */
function canFit(hint: string, { attribute, isMatch }: UserFilter): boolean {
  if (!isMatch(hint)) return false
  const { name, value = '' } = attribute ?? {}
  return (name !== 'department' && name !== 'location') || (profileOfHint(hint)[name] ?? '') === fold(value)
}

/** Whether a record passes all filters. */
export function fits(user: UserRecord, filter: UserFilter): boolean {
  const { attribute, externalId, username, term, isMatch } = filter
  return (
    (username === undefined || keys.usernameKey(username).pk === keys.usernameKey(user.username).pk) &&
    (externalId === undefined || externalId === user.external_id) &&
    (attribute === undefined || attributeOf(user, attribute.name) === attribute.value) &&
    isAsked(user, filter) &&
    (user.id === term || isMatch(hintOf(profileOf(user))))
  )
}

/** A term that is a user's whole id finds that user, if they pass the other filters. */
async function namedById({ store, now }: Reader, filter: UserFilter): Promise<UserRecord | undefined> {
  if (!filter.term || /\s/.test(filter.term) || filter.term.length > 64) return undefined
  const user = await readUser(store, filter.term, now)
  return user && fits(user, filter) ? user : undefined
}
