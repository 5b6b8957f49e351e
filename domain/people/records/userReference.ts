import type { Context } from '../../request/context.ts'
import { type UserRecord, users } from './user.ts'
import { unlessGone } from './userFields.ts'
import { attributeOf } from './userSearch.ts'

// Users as other records refer to them.

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
