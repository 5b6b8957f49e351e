import { termWords } from '../base/text.ts'
import type { Answer, Context, Input } from '../request/context.ts'
import { askedPage, type Pagination, pageOf, type Window } from '../request/paging.ts'
import * as keys from '../table/keys.ts'
import { orderedUsers } from './orderedUsers.ts'
import { loadUsers, readUser, type UserRecord, userHolding } from './user.ts'
import {
  candidates,
  needsRecord,
  orderOf,
  overdueUsers,
  rankUsers,
  type Sortable,
  sortableOf,
  type UserFilter,
  type UserPage,
  type UserSorting,
} from './userLists.ts'
import { attributeOf, matches, profileOf } from './userSearch.ts'
import { type UserView, viewUsers } from './userView.ts'

type ListInput = Input<'listUsers'>
type UserList = { users: UserView[]; pagination: Pagination }

/** Lists users: search and filters combine with AND, the sort holds across pages, totals are exact. */
export async function listUsers(context: Context, { query }: ListInput): Promise<Answer<UserList>> {
  const { sorts, window, pagination } = askedPage(context, ['listUsers'], { sort: ['LAST_NAME_ASC'], ...query })
  const filter = filterOf(query, sorts)
  const isFiltered =
    filter.words.length > 0 || filter.username !== undefined || filter.externalId !== undefined || filter.attribute
  const page = await (isFiltered ? foundUsers : orderedUsers)(context, filter, window)
  const users = await viewUsers(context, page.users, query.embed)
  return { status: 200, body: { users, pagination: pagination(page) } }
}

function filterOf(query: ListInput['query'], sorts: UserSorting[]): UserFilter {
  const { attribute_technical_name: name, attribute_value: value } = query
  return {
    words: termWords(query.search_term ?? ''),
    term: query.search_term?.trim(),
    username: query.username,
    externalId: query.external_id,
    attribute: name !== undefined && value !== undefined ? { name, value } : undefined,
    statuses: [...new Set(query.status ?? [])],
    roles: [...new Set(query.role ?? [])],
    sorts,
  }
}

/** A match; its record, if that has been read. */
type Found = Sortable & { record?: UserRecord }

/** Users by search and filters. All matches are read, and sorted in memory. */
async function foundUsers(context: Context, filter: UserFilter, window: Window): Promise<UserPage> {
  if (filter.username !== undefined || filter.externalId !== undefined) {
    const users = (await reservedBy(context, filter)).filter((user) => fits(user, filter))
    const { page, next } = pageOf(rankUsers(users.map(sortableOf), filter.sorts), orderOf(filter.sorts), window)
    return { users: page.map(({ record }) => record), total: users.length, next }
  }
  const { attribute, words, sorts } = filter
  const [{ profiles, hasAttribute }, overdue, named] = await Promise.all([
    candidates(context.store, words, attribute),
    overdueUsers(context),
    namedById(context, filter),
  ])
  const matching = [...profiles]
    .filter(([id, profile]) => !overdue.has(id) && id !== named?.id && matches(profile, words))
    .map(([id, profile]): Found => ({ id, profile }))
  const isProven = !needsRecords(filter) && (attribute === undefined || hasAttribute)
  const judged = isProven ? matching : await judgedByRecord(context, matching, filter)
  const found = rankUsers([...judged, ...(named ? [sortableOf(named)] : [])], sorts)
  const { page, next } = pageOf(found, orderOf(sorts), window)
  const records = page.flatMap(({ record }) => record ?? [])
  const users = records.length === page.length ? records : await usersOf(context, page)
  return { users, total: found.length, next }
}

async function usersOf(context: Context, rows: readonly Found[]): Promise<UserRecord[]> {
  const ids = rows.map(({ id }) => id)
  return [...(await loadUsers(context, ids)).values()]
}

/** Search rows do not carry status and role, so that locking a user changes none of them. */
const needsRecords = ({ statuses, roles, sorts }: UserFilter): boolean =>
  statuses.length > 0 || roles.length > 0 || sorts.some(needsRecord)

async function judgedByRecord(context: Context, rows: Found[], filter: UserFilter): Promise<Found[]> {
  const records = await usersOf(context, rows)
  return records.filter((user) => fits(user, filter)).map(sortableOf)
}

/** Whether a record passes all filters. */
function fits(user: UserRecord, filter: UserFilter): boolean {
  const { attribute, externalId, statuses, roles, username, words, term } = filter
  return (
    (username === undefined || keys.usernameKey(username).pk === keys.usernameKey(user.username).pk) &&
    (externalId === undefined || externalId === user.external_id) &&
    (attribute === undefined || attributeOf(user, attribute.name) === attribute.value) &&
    (statuses.length === 0 || statuses.includes(user.status)) &&
    (roles.length === 0 || roles.includes(user.role)) &&
    (user.id === term || matches(profileOf(user), words))
  )
}

async function reservedBy(context: Context, filter: UserFilter): Promise<UserRecord[]> {
  const key =
    filter.username === undefined ? keys.externalIdKey(filter.externalId ?? '') : keys.usernameKey(filter.username)
  const user = await userHolding(context.store, key, context.now)
  return user ? [user] : []
}

/** A term that is a user's whole id finds that user, if they pass the other filters. */
async function namedById(context: Context, filter: UserFilter): Promise<UserRecord | undefined> {
  if (!filter.term || /\s/.test(filter.term) || filter.term.length > 64) return undefined
  const user = await readUser(context.store, filter.term, context.now)
  return user && fits(user, filter) ? user : undefined
}
