import { createHash } from 'node:crypto'
import type { SectionRecords } from '../../schemas/directory.ts'
import { isPast, momentOf } from '../base/moments.ts'
import { usernameKey } from '../table/keys.ts'
import type { UserRecord } from '../users/user.ts'
import { deadlineFrom, userFrom } from '../users/userRules.ts'

type ImportedUser = SectionRecords['users']

/** The id of a user: the one he is given, or one that follows from his username, so that a second import finds him. */
export const idOf = ({ id, username }: Pick<ImportedUser, 'id' | 'username'>): string => id ?? idFrom(username)

/** A UUID (version 8, RFC 9562) made from a username. */
function idFrom(username: string): string {
  const reserved = usernameKey(username).pk.slice('USERNAME#'.length)
  const bytes = createHash('sha256').update(`rollcall:user:${reserved}`).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The user's deadline as it is stored; undefined for one that the calendar does not have. */
export const deadlineOf = ({ deletion_at }: ImportedUser, now: string): string | undefined =>
  typeof deletion_at === 'string' ? momentOf(deletion_at) : deadlineFrom(now)

/** Whether the user is gone, the deadline being past. */
export const hasEnded = (user: ImportedUser, now: string): boolean =>
  user.status === 'PENDING_DELETION' && isPast(deadlineOf(user, now), now)

/** The record of a user who comes in by an import; it may be one on his way out. */
export function importedUser(body: ImportedUser, given: { id: string; now: string; group: string }): UserRecord {
  const { status, role, ...rest } = body
  const starting = status && status !== 'PENDING_DELETION' ? status : 'ACTIVE'
  const user = userFrom({ ...rest, role: role ?? 'USER', status: starting }, given)
  return {
    ...user,
    ...(body.protected ? { protected: true } : {}),
    ...(status === 'PENDING_DELETION'
      ? { status, previous_status: 'ACTIVE' as const, deletion_at: deadlineOf(body, given.now) ?? given.now }
      : {}),
  }
}
