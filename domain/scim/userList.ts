import { AppError } from '../base/errors.ts'
import { fold, termWords } from '../base/text.ts'
import { orderedUsers } from '../people/directory/orderedUsers.ts'
import { candidates, searchBudget } from '../people/directory/userMatches.ts'
import { loadUsers, readUser, type UserRecord, type UserStatus, userHolding } from '../people/records/user.ts'
import { countUsers } from '../people/records/userCounts.ts'
import {
  listsOf,
  nameOfList,
  noFilter,
  orderOf,
  overdueUsers,
  sortableOf,
  sortUsers,
  type UserFilter,
  type UserList,
  type UserSorting,
} from '../people/records/userLists.ts'
import { matching, type Profile, profileOfHint } from '../people/records/userSearch.ts'
import type { Context } from '../request/context.ts'
import { isReference } from '../request/input.ts'
import { pageOf, type Window } from '../request/paging.ts'
import type { Position } from '../request/sorting.ts'
import { limitedStore, readRange } from '../table/budget.ts'
import * as keys from '../table/keys.ts'
import type { Item } from '../table/store.ts'
import { type Filter, matches } from './filter.ts'
import {
  askedList,
  type ListRequest,
  listRequestOf,
  listResponse,
  pageTooFar,
  parametersOf,
  tooMany,
} from './listRequest.ts'
import type { Projection } from './projection.ts'
import { ENTERPRISE_URN, type ResourceSchema } from './schema.ts'
import { invalidValue, ScimError } from './scimError.ts'
import type { ScimAnswer, ScimRequest } from './scimRequest.ts'
import { wholeResource } from './userResource.ts'

// Lists of users. A filter is evaluated on whole resources. First its clauses on ids, words, status and time narrow down which
// users are read. The first way whose condition holds is taken:
//
// way        | condition                                              | why
// in order   | no filter, or one of `active` alone                    | the index of the sort is in order
// by name    | every user it can find has a named id, userName or     | reservations lead to the users, as they are now
//            | externalId                                             |
// by time    | meta.lastModified gt or ge                             | the index of changes begins there
// by words   | eq or sw on a name, the e-mail, department or location | the index of words has all users who may match
// all rows   | else                                                   | within the budget of a search; else `tooMany`

/** The sorts for which users have an index. */
const sortFields: ReadonlyMap<string, UserSorting['field']> = new Map([
  ['meta.created', 'CREATED_AT'],
  ['meta.lastmodified', 'UPDATED_AT'],
  ['username', 'USERNAME'],
  ['name.familyname', 'LAST_NAME'],
  ['name.givenname', 'FIRST_NAME'],
])

function sortsOf({ sortBy, descending }: ListRequest): UserSorting[] {
  if (!sortBy) return [{ field: 'CREATED_AT', descending: false }]
  const field = sortFields.get(sortBy.replace(/^urn:.*:User:/i, '').toLowerCase())
  if (!field) throw invalidValue('sortBy', `must be one of ${[...sortFields.keys()].join(', ')}`)
  return [{ field, descending }]
}

type ListContext = { request: ScimRequest; schema: ResourceSchema; projectionOf: (asked: ListRequest) => Projection }

/** GET of the users, and `.search`. */
export async function listScimUsers(
  context: Context,
  { request, schema, projectionOf }: ListContext,
): Promise<ScimAnswer> {
  const asked = listRequestOf(parametersOf(request), schema)
  const { filter } = asked
  refuseUnseen(filter)
  const sorts = sortsOf(asked)
  const [{ window, cursorOf, noteEnd }, statuses] = [await askedList(context, asked), statusesIn(filter)]
  const projection = projectionOf(asked)
  const show = (user: UserRecord) => projection.of(wholeResource(user, request.baseUrl))
  const page =
    filter && !isOfStatus(filter)
      ? await foundUsers(context, filter, { sorts, window, statuses, baseUrl: request.baseUrl })
      : await usersInOrder(context, { sorts, window, statuses })
  noteEnd(page.total, page.next)
  const body = listResponse(asked, {
    resources: page.users.map(show),
    total: page.total,
    nextCursor: await cursorOf(page.next),
  })
  return { status: 200, body }
}

/** Refuses filters by groups and passwords, which lists do not show. */
function refuseUnseen(filter: Filter | undefined): void {
  if (!filter) return
  const inner = 'filters' in filter ? filter.filters : filter.op === 'not' ? [filter.filter] : []
  for (const one of inner) refuseUnseen(one)
  const [name = ''] = 'keys' in filter ? filter.keys : []
  if (name === 'groups' || name === 'password')
    throw new ScimError('invalidFilter', `Users cannot be filtered by ${name}`)
}

const visibleStatuses: readonly UserStatus[] = ['ACTIVE', 'LOCKED', 'DEACTIVATED']

/** Whether a filter is about `active` alone: then the lists by status have exactly its matches. */
const isOfStatus = (filter: Filter): boolean =>
  (filter.op === 'eq' || filter.op === 'ne') && filter.keys[0] === 'active' && filter.value !== null

/** The statuses that a user can have who matches a filter. */
function statusesIn(filter: Filter | undefined): readonly UserStatus[] {
  if (filter?.op === 'and') {
    const each = filter.filters.map(statusesIn)
    return visibleStatuses.filter((status) => each.every((some) => some.includes(status)))
  }
  if (!filter || !isOfStatus(filter) || !('value' in filter)) return visibleStatuses
  const isActive = (filter.op === 'eq') === filter.value
  return isActive ? ['ACTIVE', 'LOCKED'] : ['DEACTIVATED']
}

type Page = { users: UserRecord[]; total: number; next: Position | undefined }
type Wanted = { sorts: UserSorting[]; window: Window; statuses: readonly UserStatus[] }

async function usersInOrder(context: Context, { sorts, window, statuses }: Wanted): Promise<Page> {
  const filter: UserFilter = { ...noFilter, statuses, sorts }
  const count = () => countUsers(context, listsOf(filter))
  if (window.take === 0) return { users: [], total: await count(), next: undefined }
  const [{ users, total, next }, counted] = await Promise.all([
    orderedUsers(context, filter, window, async (some) => some).catch((error: unknown) => {
      throw error instanceof AppError ? pageTooFar(error) : error
    }),
    // A page by cursor does not count.
    window.after ? count() : 0,
  ])
  return { users, total: total ?? counted, next }
}

/** A page of the users who match a filter. All of them are found first, in memory. */
async function foundUsers(
  context: Context,
  filter: Filter,
  { sorts, window, ...wanted }: Wanted & { baseUrl: string },
) {
  const found = await candidatesOf(context, filter, wanted.statuses)
  const users = found.filter(
    (user) => wanted.statuses.includes(user.status) && matches(filter, wholeResource(user, wanted.baseUrl)),
  )
  const { page, next } = pageOf(sortUsers(users.map(sortableOf), sorts), orderOf(sorts), window)
  return { users: page.map(({ record }) => record), total: users.length, next }
}

async function candidatesOf(context: Context, filter: Filter, statuses: readonly UserStatus[]): Promise<UserRecord[]> {
  const named = namedIn(filter)
  if (named) return readNamed(context, named)
  const since = sinceIn(filter)
  const words = since === undefined ? wordsIn(filter) : undefined
  const search = newSearch(context, filter)
  if (words) return search.byWords(words)
  return search.byRows(statuses, since)
}

// By name.

/** A name that at most one user has. */
type Name = { by: 'id' | 'userName' | 'externalId'; value: string }
const MOST_NAMES = 100

/** Names of which each match of a filter has one; undefined if the filter does not name its matches. */
function namedIn(filter: Filter): Name[] | undefined {
  if (filter.op === 'and') return filter.filters.map(namedIn).find((names) => names !== undefined)
  if (filter.op === 'or') {
    const each = filter.filters.map(namedIn)
    const all = each.every((names) => names !== undefined) ? each.flat() : undefined
    return all && all.length <= MOST_NAMES ? all : undefined
  }
  if (filter.op !== 'eq' || typeof filter.value !== 'string' || filter.keys.length > 1) return undefined
  const by = (['id', 'userName', 'externalId'] as const).find((name) => name === filter.keys[0])
  return by && [{ by, value: filter.value }]
}

async function readNamed({ store, now }: Context, names: readonly Name[]): Promise<UserRecord[]> {
  const found = await Promise.all(
    names.map(({ by, value }) => {
      // No user can have such a name, and it may be too long for a key.
      if (!isReference(value)) return undefined
      if (by === 'id') return readUser(store, value, now)
      return userHolding(store, by === 'userName' ? keys.usernameKey(value) : keys.externalIdKey(value), now)
    }),
  )
  return [...new Map(found.flatMap((user) => (user ? [[user.id, user] as const] : []))).values()]
}

// By words and by rows.

/** Users who match a filter have changed at this moment or later; undefined if the filter does not require that. */
function sinceIn(filter: Filter): string | undefined {
  if (filter.op === 'and') return filter.filters.map(sinceIn).find((moment) => moment !== undefined)
  const isTime = (filter.op === 'gt' || filter.op === 'ge') && filter.keys.join('.') === 'meta.lastModified'
  return isTime && typeof filter.value === 'string' ? filter.value : undefined
}

/** The attributes that the index of words contains, and where the hint of a row has them. */
const textsOf: Readonly<Record<string, (profile: Profile) => string | undefined>> = {
  userName: ({ username }) => username,
  'name.givenName': ({ first_name }) => first_name,
  'name.familyName': ({ last_name }) => last_name,
  'name.formatted': ({ first_name, last_name }) => `${first_name} ${last_name}`,
  displayName: ({ first_name, last_name }) => `${first_name} ${last_name}`,
  'emails.value': ({ email }) => email,
  'addresses.locality': ({ location }) => location,
  [`${ENTERPRISE_URN}.department`]: ({ department }) => department,
}
const pathOf = (filter: { keys: readonly string[] }, prefix: readonly string[] = []): string =>
  [...prefix, ...filter.keys].join('.')

/** Words that every match of a filter has; undefined if the filter has no such words. */
function wordsIn(filter: Filter, prefix: readonly string[] = []): string[] | undefined {
  if (filter.op === 'and') {
    const words = filter.filters.flatMap((one) => wordsIn(one, prefix) ?? [])
    return words.length > 0 ? words : undefined
  }
  if (filter.op === 'any') return wordsIn(filter.filter, filter.keys)
  if ((filter.op !== 'eq' && filter.op !== 'sw') || typeof filter.value !== 'string') return undefined
  const words = textsOf[pathOf(filter, prefix)] ? termWords(filter.value) : []
  return words.length > 0 ? words : undefined
}

/** A text in the form of hints, with compatible characters decomposed: parts of a ligature are found, too. */
const loose = (text: string): string => fold(text).normalize('NFKD')

/** Whether the user of a hint may match a filter. Hints have only some texts, without case and accents. */
function mayMatch(filter: Filter, profile: Profile, prefix: readonly string[] = []): boolean {
  if (filter.op === 'and') return filter.filters.every((one) => mayMatch(one, profile, prefix))
  if (filter.op === 'or') return filter.filters.some((one) => mayMatch(one, profile, prefix))
  if (filter.op === 'any') return mayMatch(filter.filter, profile, filter.keys)
  if (!isTextual(filter) || typeof filter.value !== 'string') return true
  const textOf = textsOf[pathOf(filter, prefix)]
  const wanted = loose(filter.value)
  return !textOf || wanted === '' || loose(textOf(profile) ?? '').includes(wanted)
}

const isTextual = (filter: Filter): filter is Extract<Filter, { value: unknown }> =>
  ['eq', 'co', 'sw', 'ew'].includes(filter.op)

/** A search by words or by rows, within the budget of one search. Throws `tooMany` if that does not suffice. */
function newSearch(context: Context, filter: Filter) {
  const { store } = context
  const byteBudget = { bytes: searchBudget.bytes }
  const meter = limitedStore({ query: store.query }, { rows: searchBudget.rows, byteBudget })
  const judge = async (ids: readonly string[]): Promise<UserRecord[]> => {
    if (!meter.reserveRecords(ids.length)) throw tooMany()
    return [...(await loadUsers(context, ids)).values()]
  }
  const byWords = async (words: readonly string[]): Promise<UserRecord[]> => {
    const wanted = termWords(words.join(' '))
    const asked = { words: wanted, matchesWords: matching(wanted) }
    const { hints, foundAll } = await candidates(store, asked, searchBudget, byteBudget)
    if (!foundAll) throw tooMany()
    return judge([...hints].filter(([, hint]) => mayMatch(filter, profileOfHint(hint))).map(([id]) => id))
  }
  const byRows = async (statuses: readonly UserStatus[], since: string | undefined): Promise<UserRecord[]> => {
    const ids = new Set<string>()
    const onRows = (rows: readonly Item[]) => {
      for (const row of rows) if (mayMatch(filter, profileOfHint(String(row.hint)))) ids.add(keys.userOfRow(row))
    }
    const index = since === undefined ? 'by_id' : 'by_updated_at'
    const rangeOf = (list: UserList) => ({
      index,
      hash: nameOfList(list),
      only: ['pk', 'hint', index],
      ...(since === undefined ? {} : { from: keys.valueOfText(since) }),
    })
    const lists = listsOf({ statuses, roles: [] })
    const read = await Promise.all(lists.map((list) => readRange({ meter, range: rangeOf(list), onRows })))
    if (!read.every(Boolean)) throw tooMany()
    for (const id of await overdueUsers(context)) ids.delete(id)
    return judge([...ids])
  }
  return { byWords, byRows }
}
