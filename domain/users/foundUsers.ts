import type { Context } from '../request/context.ts'
import type { Window } from '../request/paging.ts'
import * as keys from '../table/keys.ts'
import { firstExhausted, havingAttribute, userOfWord, WORDS_READ, wordsLike, wordyUsers } from '../table/search.ts'
import { all } from '../table/store.ts'
import { absentUsers } from './people.ts'
import { loadUsers, readUser, type UserRecord, userHolding } from './user.ts'
import { needsRecord, type Sortable, sortableOf, sortUsers, type UserFilter, type UserPage } from './userLists.ts'
import { attributeOf, matches, profileOf, profileOfHint } from './userSearch.ts'

/** Users by search and filters. All matches are read, and sorted in memory. */
export async function foundUsers(context: Context, filter: UserFilter, { skip, take }: Window): Promise<UserPage> {
  if (filter.username !== undefined || filter.externalId !== undefined) {
    const users = (await reservedBy(context, filter)).filter((user) => fits(user, filter))
    return { users: users.slice(skip, skip + take), total: users.length }
  }
  const [candidates, absent, named] = await Promise.all([
    candidatesOf(context, filter),
    absentUsers(context),
    namedById(context, filter),
  ])
  const living = candidates.rows.filter(({ id }) => !absent.all.has(id) && id !== named?.id)
  const judged = candidates.complete && !onRecord(filter) ? living : await judgedByRecord(context, living, filter)
  const found = sortUsers([...judged, ...(named ? [sortableOf(named)] : [])], filter.sorts)
  const page = found.slice(skip, skip + take)
  const records = page.flatMap(({ record }) => record ?? [])
  const users = records.length === page.length ? records : await usersOf(context, page)
  return { users, total: found.length }
}

async function usersOf(context: Context, rows: readonly Sortable[]): Promise<UserRecord[]> {
  const ids = rows.map(({ id }) => id)
  return [...(await loadUsers(context, ids)).values()]
}

/** Search rows do not carry status and role, so that locking a user changes none of them. */
const onRecord = ({ statuses, roles, sorts }: UserFilter): boolean =>
  statuses.length > 0 || roles.length > 0 || sorts.some(needsRecord)

async function judgedByRecord(context: Context, rows: Sortable[], filter: UserFilter): Promise<Sortable[]> {
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

type Candidates = { rows: Sortable[]; complete: boolean }

/**
 * Reads the rows of every word and of the attribute in step, until one of them is read to its end: that one holds every
 * match. `complete` says that its rows prove the match, without a look at the record.
 */
async function candidatesOf(context: Context, filter: UserFilter): Promise<Candidates> {
  const { attribute, words } = filter
  const sources = [
    ...words.slice(0, WORDS_READ).map((word) => ({ ranges: wordsLike(word), isAttribute: false })),
    ...(attribute ? [{ ranges: havingAttribute(attribute.name, attribute.value), isAttribute: true }] : []),
  ]
  const wordy = words.length > 0 ? all(context.store, wordyUsers) : Promise.resolve([])
  const [shortest, more] = await Promise.all([
    firstExhausted(
      context.store,
      sources.map(({ ranges }) => ranges),
    ),
    wordy,
  ])
  const isAttribute = sources[shortest.index]?.isAttribute ?? false
  const hints = new Map(
    isAttribute
      ? shortest.rows.map((row) => [keys.userOfRow(row), String(row.source)])
      : [...shortest.rows, ...more].map((row) => [userOfWord(row), String(row.hint)]),
  )
  const people = [...hints].map(([id, hint]): Sortable => ({ id, profile: profileOfHint(hint) }))
  const matching = people.filter(({ profile }) => matches(profile, words))
  return { rows: matching, complete: attribute === undefined || isAttribute }
}
