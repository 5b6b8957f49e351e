import { isReference } from '../request/input.ts'
import { usernameKey } from '../table/keys.ts'
import type { Store } from '../table/store.ts'
import { readUser, type UserRecord } from './userRecord.ts'

/** The user who holds a username at this moment, in whatever case it is written. */
export async function userByUsername(
  store: Pick<Store, 'get'>,
  username: string,
  now: string,
): Promise<UserRecord | undefined> {
  if (!isReference(username)) return undefined
  const reservation = await store.get(usernameKey(username))
  return typeof reservation?.owner === 'string' ? readUser(store, reservation.owner, now) : undefined
}
