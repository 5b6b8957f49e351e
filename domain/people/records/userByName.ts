import { isReference } from '../../base/values.ts'
import * as keys from '../../table/keys.ts'
import type { Key, Reads } from '../../table/store.ts'
import { readUser, type UserRecord } from './user.ts'

/** The user who holds a reservation now. */
export async function ownerOfName(store: Reads, name: Key, now: string): Promise<UserRecord | undefined> {
  const owner = (await store.get(name))?.['owner']
  return typeof owner === 'string' ? readUser(store, owner, now) : undefined
}

/** The user who holds a username now, in whatever case it is written. */
export const userByUsername = async (store: Reads, username: string, now: string): Promise<UserRecord | undefined> =>
  isReference(username) ? ownerOfName(store, keys.usernameKey(username), now) : undefined
