import { errorOf, faultAt } from '../../base/errors.ts'
import { termWords } from '../../base/words.ts'
import { askedPage, type ListSize, type Window } from '../../request/askedPage.ts'
import type { Context, Input } from '../../request/context.ts'
import type { UserRecord } from '../records/user.ts'
import type { UserSorting } from '../records/userLists.ts'
import { matchingIn, type SearchField } from '../records/userMatch.ts'
import { loadUsers } from '../records/userReference.ts'
import { hintOf, profileOf } from '../records/userSearch.ts'
import { findUsers } from './findUsers.ts'
import { type ShownTexts, shownTexts, viewPerson } from './person.ts'

type Query = Input<'listPeople'>['query']

const list = ['listPeople']
/** The schema refuses more ids. All are one page. */
const MOST_IDS = 100

/**
 * Lists and searches the active users as other users see them. A search finds people by what the answer shows, and by nothing
 * else: see docs/decisions/people.md.
 */
export async function listPeople(context: Context, { query }: Input<'listPeople'>) {
  if (query.id) return peopleById(context, query.id, query)
  const { sorts, window, pagination } = await askedPage(context, list, { sort: ['LAST_NAME_ASC'], ...query })
  const words = termWords(query.search_term ?? '')
  const { users, shown, ...size } = await (words.length === 0
    ? firstToLast(context, sorts, window)
    : foundBy(context, words, sorts, window))
  return {
    status: 200,
    body: { users: users.map((user) => viewPerson(user, shown)), pagination: await pagination(size) },
  }
}

type Page = { users: UserRecord[]; shown: ShownTexts } & ListSize

async function firstToLast(context: Context, sorts: UserSorting[], window: Window): Promise<Page> {
  const [page, shown] = await Promise.all([
    findUsers(context, { ...everybody, sorts }, window, async (users) => users),
    shownTexts(context),
  ])
  return { ...page, shown }
}

/** A search waits until it is known which texts the caller may see. */
async function foundBy(
  context: Context,
  words: readonly string[],
  sorts: UserSorting[],
  window: Window,
): Promise<Page> {
  const shown = await shownTexts(context)
  const mayMatch = matchingIn(searchedFields(shown), words)
  const matches = (user: UserRecord): boolean => mayMatch(hintOf(profileOf(user)))
  const filter = { ...everybody, sorts, condition: { words, mayMatch, matches, isHintEnough: true } }
  return { ...(await findUsers(context, filter, window, async (users) => users)), shown }
}

/** The active users, whatever their role. Neither an id, a username nor an attribute leads to a person. */
const everybody = { statuses: ['ACTIVE'], roles: [] } as const

/** What people are searched by: their names, and those of department and location that the caller may see. */
const searchedFields = (shown: ShownTexts): SearchField[] => [
  'first_name',
  'last_name',
  ...(['department', 'location'] as const).filter((name) => shown.has(name)),
]

/** These people in the order of their ids, whatever their status. Those who never were, or are gone, are left out. */
async function peopleById(context: Context, ids: readonly string[], query: Query) {
  const beside = (['search_term', 'sort', 'page_number', 'page_limit', 'page_cursor'] as const).filter(
    (name) => query[name] !== undefined,
  )
  const fault = errorOf(beside.map((name) => faultAt('VALIDATION_ERROR', name, 'must not be given together with id')))
  if (fault) throw fault
  const [users, shown, { pagination }] = await Promise.all([
    loadUsers(context, ids),
    shownTexts(context),
    askedPage(context, list, { sort: [], page_limit: MOST_IDS }),
  ])
  const people = [...new Set(ids)].flatMap((id) => users.get(id) ?? []).map((user) => viewPerson(user, shown))
  return {
    status: 200,
    body: { users: people, pagination: await pagination({ total: people.length, next: undefined }) },
  }
}
