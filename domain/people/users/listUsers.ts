import { termWords } from '../../base/text.ts'
import type { Answer, Context, Input } from '../../request/context.ts'
import { askedPage, type Extent, type Pagination, pageOf, type Window } from '../../request/paging.ts'
import * as keys from '../../table/keys.ts'
import { orderedUsers } from '../directory/orderedUsers.ts'
import { searchUsers } from '../directory/searchUsers.ts'
import { matchesFilter } from '../directory/userMatches.ts'
import { type UserRecord, userHolding } from '../records/user.ts'
import {
  orderOf,
  sortableOf,
  sortUsers,
  type UserFilter,
  type UserPage,
  type UserSorting,
} from '../records/userLists.ts'
import { matching } from '../records/userSearch.ts'
import { type UserView, viewUsers } from './userView.ts'

// The ways to a page of users. The first one whose condition holds is taken; each one costs more or finds less than the
// one before.
//
// way                   | condition                                                 | why
// namedUsers            | a username or external id is asked for                    | a reservation leads to the one user
// orderedUsers          | neither words nor an attribute                            | the index of the sort is in order: no search
// hints                 | the rows of words and attribute show all matches, and     | each row has what search and sort need: no
//                       | neither filter nor sort needs status, role or change      | other read
// readMatches           | they show all matches, few enough to read their records   | a record has everything
// hitsOutsideSmallLists | they show all matches, and all lists but that of active   | thousands of matches and a filter by status:
//                       | users who are no administrators are short, and shorter    | users in no short list are in the long one
//                       | than the wanted ones                                      |
// hitsInLists           | the lists of the wanted statuses and roles are short      | a common word, or a rare status, in few rows
// firstHits             | else                                                      | the first 1,000 in order, and a total "at least"
//
// A HINT is the part of a row that says what its user is searched and sorted by: `hintOf` in userSearch.ts.
// "Short" and "few" mean: within `searchBudget`, which is 30,000 rows. Reading a record costs as much as 16 rows.

type ListInput = Input<'listUsers'>
type ListAnswer = Answer<{ users: UserView[]; pagination: Pagination }>
type Show = (users: readonly UserRecord[]) => Promise<UserView[]>
type Page = { users: UserView[] } & Extent

/** Lists users: search and filters combine with AND, the sort holds across pages. */
export async function listUsers(context: Context, { query }: ListInput): Promise<ListAnswer> {
  const { sorts, window, pagination } = await askedPage(context, ['listUsers'], { sort: ['LAST_NAME_ASC'], ...query })
  const filter = filterOf(query, sorts)
  const { users, ...extent } = await usersBy(filter, context, window, (some) => viewUsers(context, some, query.embed))
  return { status: 200, body: { users, pagination: await pagination(extent) } }
}

/** A page of users, found by the way that fits the filter. */
async function usersBy(filter: UserFilter, context: Context, window: Window, show: Show): Promise<Page> {
  const { username, externalId, words, attribute } = filter
  const isNamed = username !== undefined || externalId !== undefined
  if (!isNamed && words.length === 0 && !attribute) return orderedUsers(context, filter, window, show)
  const { users, ...extent } = await (isNamed ? namedUsers : searchUsers)(context, filter, window)
  return { users: await show(users), ...extent }
}

function filterOf(query: ListInput['query'], sorts: UserSorting[]): UserFilter {
  const { attribute_technical_name: name, attribute_value: value } = query
  const words = termWords(query.search_term ?? '')
  return {
    words,
    matchesWords: matching(words),
    term: query.search_term?.trim(),
    username: query.username,
    externalId: query.external_id,
    attribute: name !== undefined && value !== undefined ? { name, value } : undefined,
    statuses: [...new Set(query.status ?? [])],
    roles: [...new Set(query.role ?? [])],
    sorts,
  }
}

/** The one user with a username or external id. */
async function namedUsers(context: Context, filter: UserFilter, window: Window): Promise<UserPage> {
  const { username, externalId = '', sorts } = filter
  const key = username === undefined ? keys.externalIdKey(externalId) : keys.usernameKey(username)
  const user = await userHolding(context.store, key, context.now)
  const users = user && matchesFilter(user, filter) ? [user] : []
  const { page, next } = pageOf(sortUsers(users.map(sortableOf), sorts), orderOf(sorts), window)
  return { users: page.map(({ record }) => record), total: users.length, next }
}
