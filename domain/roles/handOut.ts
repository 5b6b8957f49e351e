import type { UserRecord } from '../users/userRecord.ts'

/** What of a role decides who may hand it out. */
export type HandedRole = { scope: 'ORGANISATION' | 'USER_GROUPS' | 'CHANNELS'; assignable?: boolean }

/** The user role ADMIN as the rule sees it. */
export const adminRole: HandedRole = { scope: 'ORGANISATION' }

/**
 * THE rule for handing out a role; every path to a role asks it: an active ADMIN may hand out
 * every role made for the target that is not marked unassignable, nobody else any.
 */
export const mayHandOut = (
  actor: Pick<UserRecord, 'role' | 'status'>,
  role: HandedRole,
  target: HandedRole['scope'],
): boolean => actor.role === 'ADMIN' && actor.status === 'ACTIVE' && role.scope === target && role.assignable !== false
