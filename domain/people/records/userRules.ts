import { AppError, refuse } from '../../base/errors.ts'
import { DAY_MS, momentAfter } from '../../base/text.ts'
import { type Actor, mayChange } from '../../request/actor.ts'
import type { UserRecord, UserStatus } from './user.ts'
import { isCountedAdmin } from './userCounters.ts'

// What may become of a user: pure.

/** How long a deleted user can be restored. */
const RESTORABLE_MS = 14 * DAY_MS

export type UserAction = 'update' | 'lock' | 'unlock' | 'deactivate' | 'reactivate' | 'delete' | 'restore'

/** The status that an action leads to, by the status before. What is missing is not allowed. */
const transitions: Record<UserAction, Partial<Record<UserStatus, UserStatus | 'PREVIOUS'>>> = {
  // Stryker disable next-line StringLiteral: only whether an update is permitted is asked, not where it leads
  update: { ACTIVE: 'ACTIVE', LOCKED: 'LOCKED', DEACTIVATED: 'DEACTIVATED' },
  lock: { ACTIVE: 'LOCKED', LOCKED: 'LOCKED' },
  unlock: { LOCKED: 'ACTIVE', ACTIVE: 'ACTIVE' },
  deactivate: { ACTIVE: 'DEACTIVATED', LOCKED: 'DEACTIVATED', DEACTIVATED: 'DEACTIVATED' },
  reactivate: { DEACTIVATED: 'PREVIOUS', ACTIVE: 'ACTIVE', LOCKED: 'LOCKED' },
  delete: {
    ACTIVE: 'PENDING_DELETION',
    LOCKED: 'PENDING_DELETION',
    DEACTIVATED: 'PENDING_DELETION',
    PENDING_DELETION: 'PENDING_DELETION',
  },
  restore: { PENDING_DELETION: 'PREVIOUS' },
}

/** Actions that actors may not apply to themselves: an administrator would be locked out. */
const notToOneself: ReadonlySet<UserAction> = new Set(['lock', 'deactivate', 'delete'])

/** Refuses an action that actors may not apply to themselves. */
export function checkNotOneself(action: UserAction, user: Pick<UserRecord, 'id'>, actorId: string): void {
  if (user.id === actorId && notToOneself.has(action)) throw refuse('ACTOR_MUST_NOT_CHANGE_ITSELF', 'user_id')
}

/**
 * Refuses an action that the user's status or protection does not allow, or that actors may not apply to themselves.
 */
export function checkAction(action: UserAction, user: UserRecord, actorId: string): void {
  checkNotOneself(action, user, actorId)
  if (user.protected)
    throw refuse('USER_MODIFICATION_NOT_ALLOWED', 'user_id', 'This user is protected against every change')
  if (!(user.status in transitions[action]))
    throw action === 'restore'
      ? refuse('USER_NOT_RESTORABLE', 'user_id', 'Only a user pending deletion can be restored')
      : refuse('USER_MODIFICATION_NOT_ALLOWED', 'user_id', `The user is ${user.status}: ${action} is not possible`)
}

/** Fields of an administrator that a service token may change only with the scope ADMINISTRATORS. Deletion changes the status. */
const ofAdministrators = ['role', 'username', 'email', 'external_id', 'status'] as const

/**
 * Refuses a change by a service token without the scope ADMINISTRATORS if it makes an administrator, or changes the access or
 * name of one. Every operation that writes a user calls it, once the user is known to exist. For a creation `before` is undefined.
 */
export function checkAdministrator(actor: Actor, before: UserRecord | undefined, after: UserRecord): void {
  if (mayChange(actor, 'ADMINISTRATORS') || (before?.role !== 'ADMIN' && after.role !== 'ADMIN')) return
  const changed = ofAdministrators.find((field) => before?.[field] !== after[field])
  if (changed) throw refuse('PERMISSION_MISSING', changed, 'The service token lacks the scope ADMINISTRATORS')
}

/** The user after an action of the life cycle; the same object if nothing changes. `deadline`: of a deletion. */
export function actedOn(
  action: Exclude<UserAction, 'update'>,
  user: UserRecord,
  now: string,
  deadline = deadlineFrom(now),
): UserRecord {
  if (transitions[action][user.status] === user.status) return user
  const { deletion_at: _deadline, previous_status: _previous, earlier_status: _earlier, ...lasting } = user
  const status = statusAfter(action, user)
  const changed = { ...lasting, ...memoryAfter(action, user), status, updated_at: now, version: user.version + 1 }
  return status === 'PENDING_DELETION' ? { ...changed, deletion_at: deadline } : changed
}

/**
 * What a user remembers after an action. Deactivation and deletion remember the status before, reactivation and restore go back to
 * it. So none of them lifts a lock, also one after the other.
 */
function memoryAfter(
  action: UserAction,
  { status, previous_status, earlier_status }: UserRecord,
): Pick<UserRecord, 'previous_status' | 'earlier_status'> {
  if (action === 'deactivate') return { previous_status: status }
  if (action === 'delete')
    return { previous_status: status, ...(previous_status ? { earlier_status: previous_status } : {}) }
  return action === 'restore' && earlier_status ? { previous_status: earlier_status } : {}
}

/** The status that an action leads to; the same if the action is not allowed. */
function statusAfter(action: UserAction, { status, previous_status = 'ACTIVE' }: UserRecord): UserStatus {
  const target = transitions[action][status] ?? status
  return target === 'PREVIOUS' ? previous_status : target
}

/** The deadline of a user who is deleted now. */
export const deadlineFrom = (now: string): string => momentAfter(now, RESTORABLE_MS)

type Allowing = {
  actorId: string
  actor: Actor
  /** The number of unprotected active administrators. */
  administrators: number
  /** Whether the feature is on. */
  deactivation: boolean
}

/** Which actions this actor can do now. */
export function allowedActions(user: UserRecord, { actorId, actor, administrators, deactivation }: Allowing) {
  const isLast = isCountedAdmin(user) && administrators <= 1
  const isPossible = (action: UserAction): boolean => {
    try {
      checkAdministrator(actor, user, { ...user, status: statusAfter(action, user) })
      checkAction(action, user, actorId)
      return true
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return false
    }
  }
  const isOff = (action: UserAction) =>
    (action === 'deactivate' && !deactivation) || (isLast && notToOneself.has(action))
  const allowed = (action: UserAction) => ({
    allowed: mayChange(actor, 'USERS') && !isOff(action) && isPossible(action),
  })
  return {
    update: allowed('update'),
    lock: allowed('lock'),
    unlock: allowed('unlock'),
    deactivate: allowed('deactivate'),
    delete: allowed('delete'),
    restore: allowed('restore'),
  }
}
