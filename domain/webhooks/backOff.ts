import { momentAfter } from '../base/text.ts'

// When deliveries are tried again, and how a webhook that fails is treated. Nothing here reads a clock or the table.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The waits after the first failed attempt, after the second one, and so on. After the ninth a delivery has failed. */
const WAITS_MS = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]
/** Each wait is up to a fifth shorter or longer, so that what failed together does not come again together. */
const SPREAD = 0.2

/**
 * Milliseconds until the next attempt after so many failed ones (1 or more); undefined if there is none. `chance` is a random
 * number from 0 to 1.
 */
export function waitAfter(failedAttempts: number, chance: number): number | undefined {
  const wait = WAITS_MS[failedAttempts - 1]
  return wait === undefined ? undefined : Math.round(wait * (1 - SPREAD + 2 * SPREAD * chance))
}

/** The longest `Retry-After` that is honoured: the longest wait between two attempts. */
const LONGEST_PAUSE_MS = 10 * HOUR

/** Milliseconds of a header `Retry-After`, in seconds or as a date; undefined if it is neither. */
export function retryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  // A date begins with the day's name. Date.parse alone takes "-5" for a year.
  const at = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND : at - now.getTime()
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_PAUSE_MS, Math.max(0, ms))
}

/** The most attempts of a webhook that are under way at the same time. */
export const MOST_AT_ONCE = 10
/** After this many failures in a row a webhook is FAILING. */
const FAILURES = 5
/** A webhook that fails after so long a time is disabled. */
const LONGEST_FAILING_MS = 5 * 24 * HOUR
/**
 * While a webhook is FAILING, the pause between its single attempts is as long as it has been failing, within these bounds. So
 * a receiver that comes back after an hour is noticed within five minutes.
 */
const SHORTEST_PROBE_MS = 5 * SECOND
const LONGEST_PROBE_MS = 5 * MINUTE

/** How the receiver of a webhook does. Times are RFC 3339 in UTC. */
export type Health = {
  /** Failed attempts since the last successful one. */
  failures: number
  failing_since: string | null
  /** How many attempts may be under way at the same time. */
  atOnce: number
  /** Nothing is tried before. */
  paused_until: string | null
}

export const healthy: Health = { failures: 0, failing_since: null, atOnce: MOST_AT_ONCE, paused_until: null }

export const isFailing = ({ failing_since }: Health): boolean => failing_since !== null

/** After a success everything is tried again, at a rate that doubles up to the full one. */
export const afterSuccess = ({ atOnce }: Health): Health => ({ ...healthy, atOnce: Math.min(MOST_AT_ONCE, 2 * atOnce) })

/** After a failure at this moment; `pause`: milliseconds for which the receiver wants nothing. */
export function afterFailure(health: Health, now: string, pause = 0): Health {
  const failures = health.failures + 1
  const failing_since = health.failing_since ?? (failures >= FAILURES ? now : null)
  const wait = Math.max(pause, failing_since === null ? 0 : probeWait(failing_since, now))
  return {
    failures,
    failing_since,
    atOnce: failing_since === null ? health.atOnce : 1,
    paused_until: wait > 0 ? momentAfter(now, wait) : health.paused_until,
  }
}

const probeWait = (since: string, now: string): number =>
  Math.min(LONGEST_PROBE_MS, Math.max(SHORTEST_PROBE_MS, Date.parse(now) - Date.parse(since)))

/** Whether a webhook that fails now has failed for so long that it is disabled. */
export const isGivenUp = ({ failing_since }: Health, now: string): boolean =>
  failing_since !== null && momentAfter(failing_since, LONGEST_FAILING_MS) <= now

export const isPaused = ({ paused_until }: Health, now: string): boolean => paused_until !== null && now < paused_until
