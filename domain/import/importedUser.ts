import type { SectionRecords } from '../../schemas/directory.ts'
import { momentOf } from '../base/moments.ts'
import { isPast } from '../base/text.ts'
import { deadlineItem } from '../people/records/deadlineItem.ts'
import { userFrom } from '../people/records/newUser.ts'
import { reservationKeys, type UserRecord, users } from '../people/records/user.ts'
import { deadlineFrom } from '../people/records/userRules.ts'
import { creation } from '../people/users/creation.ts'
import type { WriteContext } from '../people/users/writeContext.ts'
import * as keys from '../table/keys.ts'
import type { Action, Key, Store } from '../table/store.ts'
import { idFromText } from './idFromText.ts'
import { type Lookup, lookup } from './lookup.ts'

type ImportedUser = SectionRecords['users']

/** The id of a user: the one in the file, or one that follows from the username, so that a second import finds them. */
export const idOf = ({ id, username }: Pick<ImportedUser, 'id' | 'username'>): string =>
  id ?? idFromText(`user:${keys.reservedUsername(username)}`)

/** The user's deadline as it is stored; undefined for a date that does not exist. */
export const deadlineOf = ({ deletion_at }: ImportedUser, now: string): string | undefined =>
  typeof deletion_at === 'string' ? momentOf(deletion_at) : deadlineFrom(now)

/** Whether the user's deadline has passed. */
export const isPastDeadline = (user: ImportedUser, now: string): boolean =>
  user.status === 'PENDING_DELETION' && isPast(deadlineOf(user, now), now)

/** The record of a user of the file; unlike those that the API creates, they may be pending deletion. */
export function importedUser(body: ImportedUser, context: { id: string; now: string; group: string }): UserRecord {
  const { status, role, ...rest } = body
  const starting = status && status !== 'PENDING_DELETION' ? status : 'ACTIVE'
  const user = userFrom({ ...rest, role: role ?? 'USER', status: starting }, context)
  return {
    ...user,
    ...(body.protected ? { protected: true } : {}),
    ...(status === 'PENDING_DELETION'
      ? { status, previous_status: 'ACTIVE' as const, deletion_at: deadlineOf(body, context.now) ?? context.now }
      : {}),
  }
}

/** All actions that create a user of the file. */
export const creationOfImported = (user: UserRecord, context: WriteContext): Action[] => [
  ...creation(user, context),
  ...(user.deletion_at ? [deadlineItem(user, user.deletion_at)] : []),
]

/** Reads the stored records of users of the file, and the tombstones and names that could prevent their creation. */
export async function readStoredUsers(store: Store, batch: readonly { value: ImportedUser }[]): Promise<Lookup> {
  const records = await lookup(
    store,
    batch.map(({ value }) => keys.userKey(idOf(value))),
  )
  const others = await lookup(
    store,
    batch.flatMap(({ value }) => {
      const stored = userIn(records, idOf(value))
      return stored ? otherNames(value, stored) : [keys.tombstoneKey(idOf(value)), ...reservationKeys(value)]
    }),
  )
  // Users without an id in the file may be stored under another one.
  const owners = batch.flatMap(({ value }) => (value.id ? [] : (others(keys.usernameKey(value.username)) ?? [])))
  // A tombstone may belong to a user pending deletion who came after the first read.
  const withTombstone = batch.flatMap(({ value }) => (others(keys.tombstoneKey(idOf(value))) ? [idOf(value)] : []))
  const late = await lookup(store, [...owners.map(({ owner }) => String(owner)), ...withTombstone].map(keys.userKey))
  return (key) => records(key) ?? others(key) ?? late(key)
}

/** The names in the file that the user does not have. */
function otherNames(value: ImportedUser, user: UserRecord): Key[] {
  const own = new Set(reservationKeys(user).map(({ pk }) => pk))
  return reservationKeys(value).filter(({ pk }) => !own.has(pk))
}

/** A user as stored. */
export const userIn = (stored: Lookup, id: string): UserRecord | undefined => users.of(stored(keys.userKey(id)))
