import { attributeOf, type UserRecord } from './userRecord.ts'

/** A user as other records refer to him; whoever is gone leaves a reference without a person. */
export function userReference(id: string, user: UserRecord | undefined) {
  if (!user) return { id, is_deleted: true, first_name: '', last_name: '', department: null, profile_picture: null }
  return {
    id,
    is_deleted: user.status === 'PENDING_DELETION',
    first_name: user.first_name,
    last_name: user.last_name,
    department: attributeOf(user, 'department') ?? null,
    profile_picture: user.profile_picture,
  }
}
