import { readUser } from '../../domain/people/records/user.ts'
import { userByUsername } from '../../domain/people/records/userByName.ts'
import type { Store } from '../../domain/table/store.ts'

/** Finds a user of the directory. The status takes a passed deadline into account. */
export type FindUser = (
  by: { username: string } | { id: string },
) => Promise<{ id: string; status: string } | undefined>

/** Finds users of the directory, as they are now, for the local identity provider. */
export const findUserIn =
  (store: Store): FindUser =>
  (by) => {
    const now = new Date().toISOString()
    return 'id' in by ? readUser(store, by.id, now) : userByUsername(store, by.username, now)
  }
