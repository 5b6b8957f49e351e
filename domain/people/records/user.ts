import { refuse } from '../../base/errors.ts'
import { compareBytes } from '../../base/text.ts'
import * as keys from '../../table/keys.ts'
import { defineRecord } from '../../table/records.ts'
import type { Item, Key, Reads } from '../../table/store.ts'
import { type UserRecord, type UserStatus, unlessGone, userFields } from './userFields.ts'
import { externalMark, hintOf, indexKeysOfWords, profileOf, sortKeysOf } from './userSearch.ts'

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
      hint: hintOf(profile) + externalMark(user.external_id),
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

/** The keys of the reservations of a username and an external id. */
export const reservationKeys = ({
  username,
  external_id,
}: {
  username: string
  external_id?: string | null | undefined
}): Key[] => [keys.usernameKey(username), ...(external_id ? [keys.externalIdKey(external_id)] : [])]

/**
 * The reservations of a user's names. The username is the first, as conflicts are reported in this order. From the
 * deadline of a user pending deletion on, the names are free.
 */
function reservationsOf({ id, username, external_id, deletion_at }: UserRecord): Item[] {
  const expiry = deletion_at ? { expires_at: deletion_at, ttl: keys.ttlOf(deletion_at) } : {}
  return reservationKeys({ username, external_id }).map((key) => ({ ...key, owner: id, ...expiry }))
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
