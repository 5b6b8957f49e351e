import { fold, termWords } from '../../base/words.ts'
import { LONGEST_USER_ID } from '../../request/actor.ts'
import { askedPage, type Pagination } from '../../request/askedPage.ts'
import type { Answer, Context, Input } from '../../request/context.ts'
import * as keys from '../../table/keys.ts'
import { findUsers } from '../finding/findUsers.ts'
import type { UserRecord } from '../records/user.ts'
import type { UserCondition, UserFilter } from '../records/userLists.ts'
import { matching } from '../records/userMatch.ts'
import { attributeOf, hintOf, profileOf, profileOfHint } from '../records/userSearch.ts'
import { type UserView, viewUsers } from './userView.ts'

type ListInput = Input<'listUsers'>
type ListAnswer = Answer<{ users: UserView[]; pagination: Pagination }>
type Query = Pick<
  ListInput['query'],
  'search_term' | 'username' | 'external_id' | 'attribute_technical_name' | 'attribute_value' | 'status' | 'role'
>

/** Lists users: search and filters combine with AND, the sort holds across pages. */
export async function listUsers(context: Context, { query }: ListInput): Promise<ListAnswer> {
  const { sorts, window, pagination } = await askedPage(context, ['listUsers'], { sort: ['LAST_NAME_ASC'], ...query })
  const show = (some: UserRecord[]) => viewUsers(context, some, query.embed)
  const { users, ...size } = await findUsers(context, { ...filterOf(query), sorts }, window, show)
  return { status: 200, body: { users, pagination: await pagination(size) } }
}

export const filterOf = (query: Query): Omit<UserFilter, 'sorts'> => ({
  statuses: [...new Set(query.status ?? [])],
  roles: [...new Set(query.role ?? [])],
  condition: conditionOf(query),
})

function conditionOf(query: Query): UserCondition | undefined {
  const { attribute_technical_name: name, attribute_value: value, username, external_id } = query
  const words = termWords(query.search_term ?? '')
  const id = query.search_term?.trim()
  const attribute = name !== undefined && value !== undefined ? { name, value } : undefined
  if (words.length === 0 && !attribute && username === undefined && external_id === undefined) return undefined
  const matchesWords = matching(words)
  return {
    words,
    attribute,
    names: nameIn(query),
    id: id && !/\s/.test(id) && id.length <= LONGEST_USER_ID ? id : undefined,
    mayMatch: (hint) => matchesWords(hint) && mayHave(hint, attribute),
    matches: (user) =>
      (username === undefined || keys.usernameKey(username).pk === keys.usernameKey(user.username).pk) &&
      (external_id === undefined || external_id === user.external_id) &&
      (attribute === undefined || attributeOf(user, attribute.name) === attribute.value) &&
      (user.id === id || matchesWords(hintOf(profileOf(user)))),
    isHintEnough: true,
  }
}

/** The user who is asked for by name. */
function nameIn({ username, external_id }: Query): UserCondition['names'] {
  if (username !== undefined) return [{ by: 'username', value: username }]
  return external_id === undefined ? undefined : [{ by: 'external_id', value: external_id }]
}

/** Whether the user of a hint may have an attribute. Hints have only two. */
function mayHave(hint: string, attribute: UserCondition['attribute']): boolean {
  const { name, value = '' } = attribute ?? {}
  return (name !== 'department' && name !== 'location') || (profileOfHint(hint)[name] ?? '') === fold(value)
}
