import { readUser, userByUsername } from '../domain/people/records/user.ts'
import type { Store } from '../domain/table/store.ts'
import type { FindUser } from './tokenEndpoint.ts'

/** Finds users of the directory, as they are now, for the local identity provider. */
export const findUserIn =
  (store: Store): FindUser =>
  (by) => {
    const now = new Date().toISOString()
    return 'id' in by ? readUser(store, by.id, now) : userByUsername(store, by.username, now)
  }
