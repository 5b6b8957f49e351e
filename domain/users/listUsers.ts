import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/users.ts'
import { termWords } from '../base/text.ts'
import type { Answer, Context } from '../request/context.ts'
import { type Pagination, paginationOf, window } from '../request/paging.ts'
import { sortings } from '../request/sorting.ts'
import { foundUsers } from './foundUsers.ts'
import { orderedUsers } from './orderedUsers.ts'
import type { UserFilter } from './userLists.ts'
import { type UserView, viewUsers } from './userView.ts'

type ListInput = Input<typeof contracts.listUsers>
type UserList = { users: UserView[]; pagination: Pagination }

/** Lists users: search and filters combine with AND, the sort holds across pages, totals are exact. */
export async function listUsers(context: Context, { query }: ListInput): Promise<Answer<UserList>> {
  const filter = filterOf(query)
  const isFiltered =
    filter.words.length > 0 || filter.username !== undefined || filter.externalId !== undefined || filter.attribute
  const page = isFiltered
    ? await foundUsers(context, filter, window(query))
    : await orderedUsers(context, filter, window(query))
  const users = await viewUsers(context, page.users, query.embed)
  return { status: 200, body: { users, pagination: paginationOf(query, page.total) } }
}

function filterOf(query: ListInput['query']): UserFilter {
  const { attribute_technical_name: name, attribute_value: value } = query
  return {
    words: termWords(query.search_term ?? ''),
    term: query.search_term?.trim(),
    username: query.username,
    externalId: query.external_id,
    attribute: name !== undefined && value !== undefined ? { name, value } : undefined,
    statuses: [...new Set(query.status ?? [])],
    roles: [...new Set(query.role ?? [])],
    sorts: sortings(query.sort ?? ['LAST_NAME_ASC']),
  }
}
