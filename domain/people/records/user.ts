import { refuse } from '../../base/errors.ts'
import { compareBytes } from '../../base/text.ts'
import { isReference } from '../../base/values.ts'
import type { Context } from '../../request/context.ts'
import * as keys from '../../table/keys.ts'
import { defineRecord } from '../../table/records.ts'
import type { Item, Key, Reads } from '../../table/store.ts'
import { type UserRecord, type UserStatus, unlessGone, userFields } from './userFields.ts'
import { attributeOf, hintOf, indexKeysOfWords, profileOf, sortKeysOf } from './userSearch.ts'

export type { UserRecord, UserStatus } from './userFields.ts'

/** The verbs in events for a change of a user's status. */
const verbs: Record<UserStatus, (before: UserStatus) => string> = {
  ACTIVE: (before) => (before === 'LOCKED' ? 'unlocked' : before === 'DEACTIVATED' ? 'reactivated' : 'restored'),
  LOCKED: (before) =>
    before === 'PENDING_DELETION' ? 'restored' : before === 'DEACTIVATED' ? 'reactivated' : 'locked',
  DEACTIVATED: (before) => (before === 'PENDING_DELETION' ? 'restored' : 'deactivated'),
  PENDING_DELETION: () => 'deleted',
}

/** Each user is in one list, by status and role, which nine indexes order. The item of a user pending deletion expires. */
export const users = defineRecord<UserRecord>({
  key: keys.userKey,
  fields: userFields,
  idOf: ({ id }) => [id],
  versioned: true,
  events: {
    kind: 'user',
    verb: (before, after) => (before.status === after.status ? undefined : verbs[after.status](before.status)),
  },
  indexAttributes: (user) => {
    const profile = profileOf(user)
    return {
      list: keys.userList(user.status, user.role),
      ...sortKeysOf(profile, user),
      ...indexKeysOfWords(profile, user.id)[0],
      hint: hintOf(profile),
      ...(user.deletion_at ? { deletion_at: user.deletion_at, ttl: keys.ttlOf(user.deletion_at) } : {}),
    }
  },
})

/** The names of a user's attributes. */
export const attributeNames = ({ attributes }: Pick<UserRecord, 'attributes'>): string[] =>
  attributes.map(({ name }) => name)

/**
 * The items written with a user's record: the reservations of their names, the rows of their attributes, and rows for
 * search words. Each word needs an item in the index `find`. The record takes the first word, reservations and
 * attributes the next ones. Only the rest get rows, which makes writes cheaper.
 */
export function itemsWithUser(user: UserRecord): Item[] {
  const profile = profileOf(user)
  const hint = hintOf(profile)
  const words = indexKeysOfWords(profile, user.id).slice(1)
  const others = [...reservationsOf(user), ...attributeRows(user, hint)]
  const own = words.slice(others.length).map((_, slot) => keys.wordKey(user.id, slot))
  return [...others, ...own].map((item, nth) => (words[nth] ? { ...item, ...words[nth], hint } : item))
}

/**
 * The reservations of a user's names. The username is the first, as conflicts are reported in this order. From the
 * deadline of a user pending deletion on, the names are free.
 */
function reservationsOf({ id, username, external_id, deletion_at }: UserRecord): Item[] {
  const expiry = deletion_at ? { expires_at: deletion_at, ttl: keys.ttlOf(deletion_at) } : {}
  const taken = [keys.usernameKey(username), ...(external_id === null ? [] : [keys.externalIdKey(external_id)])]
  return taken.map((key) => ({ ...key, owner: id, ...expiry }))
}

/** Sorted by name: the same attributes in another order are no change. */
const attributeRows = ({ id, attributes }: UserRecord, hint: string): Item[] =>
  attributes
    .toSorted((a, b) => compareBytes(a.name, b.name))
    .map(({ name, value }) => ({
      ...keys.attributeValueKey(id, name),
      ...keys.attributeIndexKeys(name, value, id),
      hint,
    }))

/** The user as of now; undefined if gone. */
export const readUser = async (store: Reads, id: string, now: string): Promise<UserRecord | undefined> =>
  unlessGone(await users.read(store, id), now)

/** The user that a path names, as read. Throws USER_NOT_FOUND where there is none. */
export function requireUser(user: UserRecord | undefined): UserRecord {
  if (!user) throw refuse('USER_NOT_FOUND', 'user_id')
  return user
}

/** The user who holds a reservation now. */
export async function ownerOfName(store: Reads, name: Key, now: string): Promise<UserRecord | undefined> {
  const owner = (await store.get(name))?.['owner']
  return typeof owner === 'string' ? readUser(store, owner, now) : undefined
}

/** The user who holds a username now, in whatever case it is written. */
export const userByUsername = async (store: Reads, username: string, now: string): Promise<UserRecord | undefined> =>
  isReference(username) ? ownerOfName(store, keys.usernameKey(username), now) : undefined

/** Users by id, in the order of the ids and as they were a moment ago. Users who are gone are missing. */
export async function loadUsers(
  { store, now }: Pick<Context, 'store' | 'now'>,
  ids: Iterable<string>,
): Promise<Map<string, UserRecord>> {
  const found = new Map<string, UserRecord>()
  for (const user of await Promise.all([...new Set(ids)].map((id) => users.readEventual(store, id))))
    if (user && unlessGone(user, now)) found.set(user.id, user)
  return found
}

/**
 * A user as other records refer to them. Of one who is gone only the id is left. `showsDepartment`: whether the caller may see
 * departments, see shownAttributes.
 */
export function userReference(id: string, user: UserRecord | undefined, showsDepartment = true) {
  if (!user) return { id, is_deleted: true, first_name: '', last_name: '', department: null, profile_picture: null }
  return {
    id,
    is_deleted: user.status === 'PENDING_DELETION',
    first_name: user.first_name,
    last_name: user.last_name,
    department: showsDepartment ? (attributeOf(user, 'department') ?? null) : null,
    profile_picture: user.profile_picture,
  }
}
