import { termWords } from '../base/text.ts'
import type { Answer, Context, Input } from '../request/context.ts'
import { askedPage, type Extent, type Pagination, pageOf, type Window } from '../request/paging.ts'
import * as keys from '../table/keys.ts'
import { orderedUsers } from './orderedUsers.ts'
import { searchUsers } from './searchUsers.ts'
import { type UserRecord, userHolding } from './user.ts'
import { orderOf, rankUsers, sortableOf, type UserFilter, type UserPage, type UserSorting } from './userLists.ts'
import { fits } from './userMatches.ts'
import { matching } from './userSearch.ts'
import { type UserView, viewUsers } from './userView.ts'

type ListInput = Input<'listUsers'>
type UserList = { users: UserView[]; pagination: Pagination }
type Show = (users: readonly UserRecord[]) => Promise<UserView[]>
type Page = { users: UserView[] } & Extent

/** Lists users: search and filters combine with AND, the sort holds across pages. */
export async function listUsers(context: Context, { query }: ListInput): Promise<Answer<UserList>> {
  const { sorts, window, pagination } = await askedPage(context, ['listUsers'], { sort: ['LAST_NAME_ASC'], ...query })
  const filter = filterOf(query, sorts)
  const isFiltered = filter.words.length > 0 || isNamed(filter) || filter.attribute
  const show = (users: readonly UserRecord[]) => viewUsers(context, users, query.embed)
  const page = await (isFiltered ? foundUsers : orderedUsers)(context, filter, window, show)
  return { status: 200, body: { users: page.users, pagination: await pagination(page) } }
}

function filterOf(query: ListInput['query'], sorts: UserSorting[]): UserFilter {
  const { attribute_technical_name: name, attribute_value: value } = query
  const words = termWords(query.search_term ?? '')
  return {
    words,
    isMatch: matching(words),
    term: query.search_term?.trim(),
    username: query.username,
    externalId: query.external_id,
    attribute: name !== undefined && value !== undefined ? { name, value } : undefined,
    statuses: [...new Set(query.status ?? [])],
    roles: [...new Set(query.role ?? [])],
    sorts,
  }
}

/** Users by search and filters. */
async function foundUsers(context: Context, filter: UserFilter, window: Window, show: Show): Promise<Page> {
  const { users, ...extent } = await (isNamed(filter) ? namedUsers : searchUsers)(context, filter, window)
  return { users: await show(users), ...extent }
}

const isNamed = ({ username, externalId }: UserFilter): boolean => username !== undefined || externalId !== undefined

async function namedUsers(context: Context, filter: UserFilter, window: Window): Promise<UserPage> {
  const users = (await reservedBy(context, filter)).filter((user) => fits(user, filter))
  const { page, next } = pageOf(rankUsers(users.map(sortableOf), filter.sorts), orderOf(filter.sorts), window)
  return { users: page.map(({ record }) => record), total: users.length, next }
}

async function reservedBy(context: Context, filter: UserFilter): Promise<UserRecord[]> {
  const key =
    filter.username === undefined ? keys.externalIdKey(filter.externalId ?? '') : keys.usernameKey(filter.username)
  const user = await userHolding(context.store, key, context.now)
  return user ? [user] : []
}
