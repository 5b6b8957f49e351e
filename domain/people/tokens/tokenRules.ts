import { scopes as allScopes, type Scope } from '../../../schemas/scopes.ts'
import { type CodedFault, errorOf, faultAt, refuse } from '../../base/errors.ts'
import { invalidMoment, momentOf } from '../../base/moments.ts'
import { DAY_MS, isPast, momentAfter } from '../../base/text.ts'
import { asRecord } from '../../base/values.ts'
import type { Input, MoreFaults } from '../../request/context.ts'
import { changedOrSame } from '../../request/patch.ts'
import { hasPrevious, type ServiceToken, tokenFields } from './serviceToken.ts'

const MOST_YEARS = 2
const DEFAULT_YEARS = 1
const DEFAULT_OVERLAP_MINUTES = 60
const MINUTE_MS = 60_000
/** An event and a metric announce the end of a token this many days before it. */
const WARNING_DAYS = [30, 7]

type Creation = Input<'createServiceToken'>['body']
type Patch = Input<'updateServiceToken'>['body']

/**
 * Faults of a body that its schema cannot find; the body may have any form. `kept` is the present end of the token, which a
 * patch may repeat even if it has passed.
 */
export function tokenFaults(body: unknown, now: string, kept?: string): CodedFault[] {
  const { scopes, expires_at } = asRecord(body) ?? {}
  return [...scopeFaults(scopes), ...(typeof expires_at === 'string' ? endFaults(expires_at, now, kept) : [])]
}

/** Finds more faults in a body that the schema has refused. */
export const wrongToken: MoreFaults = async ({ now }, body) => errorOf(tokenFaults(body, now))

/** Deliveries hold whole records, so a token that registers webhooks must be allowed to read everything. */
const scopeFaults = (scopes: unknown): CodedFault[] =>
  Array.isArray(scopes) && scopes.includes('WEBHOOKS') && !scopes.includes('READ')
    ? [faultAt('VALIDATION_ERROR', 'scopes', 'must have READ together with WEBHOOKS')]
    : []

function endFaults(text: string, now: string, kept: string | undefined): CodedFault[] {
  const end = momentOf(text)
  const fault = (message: string) => [faultAt('VALIDATION_ERROR', 'expires_at', message)]
  if (end === undefined) return fault(invalidMoment)
  if (end === kept) return []
  if (isPast(end, now)) return fault('must be in the future')
  return end > yearsAfter(now, MOST_YEARS) ? fault(`must be at most ${MOST_YEARS} years from now`) : []
}

function yearsAfter(moment: string, years: number): string {
  const date = new Date(moment)
  date.setUTCFullYear(date.getUTCFullYear() + years)
  return date.toISOString()
}

/** Sorts scopes, so that the same scopes in another order are not a change. */
const inOrder = (scopes: readonly Scope[]): Scope[] => allScopes.filter((scope) => scopes.includes(scope))

/** `secret` is a hash. */
type NewToken = { id: string; secret: string; now: string; by: string }

/** The token that a creation asks for. */
export function tokenFrom({ name, scopes, expires_at }: Creation, { id, secret, now, by }: NewToken): ServiceToken {
  const end = (expires_at && momentOf(expires_at)) || yearsAfter(now, DEFAULT_YEARS)
  return tokenFields.create(
    { name, scopes: inOrder(scopes) },
    { id, created_by: by, created_at: now, expires_at: end, secret, warned_days: warningBefore(end, now) },
  )
}

/** The token after a merge patch; the same object if nothing changes. */
export function patchedToken(token: ServiceToken, patch: Patch, now: string): ServiceToken {
  const { name = token.name, scopes = token.scopes } = patch
  const expires_at = (patch.expires_at && momentOf(patch.expires_at)) || token.expires_at
  const hasOtherEnd = expires_at !== token.expires_at
  if (hasOtherEnd) requireAlive(token, now)
  const warned_days = hasOtherEnd ? warningBefore(expires_at, now) : token.warned_days
  const after = { ...token, name, scopes: inOrder(scopes), expires_at, warned_days }
  return changedOrSame(token, after, { version: token.version + 1 })
}

type Rotation = { secret: string; now: string; overlap_minutes?: number | null | undefined }

/**
 * The token with a new secret. The previous secret stays valid for the overlap. If a previous secret is still valid from the last
 * rotation, it stays, and the secret in between ends. It ends with the earlier of both overlaps: a rotation may shorten one, and
 * never lengthens it. Without an overlap all older secrets end.
 */
export function rotated(token: ServiceToken, { secret, now, overlap_minutes }: Rotation): ServiceToken {
  requireAlive(token, now)
  const overlap = (overlap_minutes ?? DEFAULT_OVERLAP_MINUTES) * MINUTE_MS
  const previous = previousAfter(token, overlap, now)
  return { ...token, ...previous, secret, rotated_at: now, version: token.version + 1 }
}

function previousAfter(token: ServiceToken, overlap: number, now: string) {
  if (overlap === 0) return { previous_secret: null, previous_expires_at: null }
  const end = momentAfter(now, overlap)
  if (!hasPrevious(token, now)) return { previous_secret: token.secret, previous_expires_at: end }
  const { previous_expires_at: before } = token
  return { previous_expires_at: before !== null && before < end ? before : end }
}

function requireAlive({ expires_at }: ServiceToken, now: string): void {
  if (isPast(expires_at, now)) throw refuse('SERVICE_TOKEN_EXPIRED', 'token_id')
}

/** The last warning that was due before `now`; null if the first one is still to come. */
const warningBefore = (end: string, now: string): number | null =>
  WARNING_DAYS.findLast((days) => momentAfter(end, -days * DAY_MS) < now) ?? null

/** The token with the warning that is due now; undefined if none is. */
export function warned(token: ServiceToken, now: string): ServiceToken | undefined {
  const due = WARNING_DAYS.findLast((days) => momentAfter(token.expires_at, -days * DAY_MS) <= now)
  const isNew = due !== undefined && (token.warned_days === null || due < token.warned_days)
  if (!isNew || isPast(token.expires_at, now)) return undefined
  return { ...token, warned_days: due, version: token.version + 1 }
}
