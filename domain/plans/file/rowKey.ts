import { hash32 } from '../../base/text.ts'
import { fold } from '../../base/words.ts'
import type { UserRecord } from '../../people/records/user.ts'
import { externalMark } from '../../people/records/userSearch.ts'
import * as keys from '../../table/keys.ts'
import type { RowValues } from './row.ts'

// The key of a row says which user it is about: an external id, a username or an id.

export type MatchBy = 'EXTERNAL_ID' | 'USERNAME' | 'ID'

/** The field of a user that is the key of a row. */
export const fieldOfKey = { EXTERNAL_ID: 'external_id', USERNAME: 'username', ID: 'id' } as const

/** A name as it is compared and reserved: usernames regardless of case. */
export const reservedName = {
  username: (value: string): string => keys.usernameKey(value).pk,
  external_id: (value: string): string => keys.externalIdKey(value).pk,
}

/** The name of a key: equal keys have the same. */
export function nameOfKey(by: MatchBy, key: string): string {
  const field = fieldOfKey[by]
  return field === 'id' ? keys.userKey(key).pk : reservedName[field](key)
}

/** The name of the key that a user has now; undefined if they have none. */
export function keyNameOf(by: MatchBy, user: Pick<UserRecord, 'id' | 'username' | 'external_id'>): string | undefined {
  const key = user[fieldOfKey[by]]
  return key === null ? undefined : nameOfKey(by, key)
}

/** What a row says besides its key: that has found the user, in whatever case it is written, and does not change them. */
export function withoutKey(by: MatchBy, values: RowValues): RowValues {
  const others = { ...values }
  delete others[fieldOfKey[by]]
  return others
}

/** A hash of the name of a key: the rows of lists show it of users, if not always exactly. */
export function markOfName(name: string): number {
  if (name.startsWith(USERNAME)) return hash32(fold(name))
  return hash32(name.startsWith(EXTERNAL) ? externalMark(name.slice(EXTERNAL.length)) : name)
}
const [USERNAME, EXTERNAL] = [reservedName.username(''), reservedName.external_id('')]

/** The part of a file that rows and users with this mark are in: a number below `parts`. */
export const partOf = (mark: number, parts: number): number => mark % parts
