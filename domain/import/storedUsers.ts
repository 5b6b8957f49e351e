import * as keys from '../table/keys.ts'
import type { Key, Store } from '../table/store.ts'
import { type UserRecord, users as userRecords } from '../users/user.ts'
import type { Entry } from './directoryFile.ts'
import { idOf } from './importedUser.ts'
import { type Lookup, lookup } from './lookup.ts'

type Given = Entry<'users'>

/** Reads the records of users who may be there, and what else stands in the way of what the file says of them. */
export async function storedFor(store: Store, slice: readonly Given[]): Promise<Lookup> {
  const records = await lookup(
    store,
    slice.map(({ value }) => keys.userKey(idOf(value))),
  )
  const others = await lookup(
    store,
    slice.flatMap(({ value }) => {
      const there = records(keys.userKey(idOf(value)))
      return there
        ? otherNames(value, userRecords.of(there) as UserRecord)
        : [keys.tombstoneKey(idOf(value)), ...namesOf(value)]
    }),
  )
  // Users without an id may be there under another one.
  const owners = slice.flatMap(({ value }) => (value.id ? [] : (others(keys.usernameKey(value.username)) ?? [])))
  const namesakes = await lookup(
    store,
    owners.map(({ owner }) => keys.userKey(String(owner))),
  )
  return (key) => records(key) ?? others(key) ?? namesakes(key)
}

/** Where it is noted whose a username and an external id are. */
export const namesOf = ({ username, external_id }: Pick<Given['value'], 'username' | 'external_id'>): Key[] => [
  keys.usernameKey(username),
  ...(external_id ? [keys.externalIdKey(external_id)] : []),
]

/** Those of the names in the file that the user does not have. */
function otherNames(value: Given['value'], user: UserRecord): Key[] {
  const own = new Set(namesOf(user).map(({ pk }) => pk))
  return namesOf(value).filter(({ pk }) => !own.has(pk))
}

/** A user as they are stored, if they are. */
export function userIn(stored: Lookup, key: Key): UserRecord | undefined {
  const item = stored(key)
  return item && userRecords.of(item)
}
