import type { Context } from '../request/context.ts'
import { userKey } from '../table/keys.ts'
import { isGone, type UserRecord, userOf } from './userRecord.ts'

/** The records of users, in order; who is gone by now is left out. */
export async function loadUsers(context: Context, ids: readonly string[]): Promise<UserRecord[]> {
  const items = await Promise.all(ids.map((id) => context.store.getSoon(userKey(id))))
  return items.flatMap((item) => (item && !isGone(userOf(item), context.now) ? [userOf(item)] : []))
}
