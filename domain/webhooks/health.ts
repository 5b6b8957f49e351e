import { DAY_MS, momentAfter } from '../base/text.ts'

// How the receiver of a webhook does, and how a webhook that fails is treated. Nothing here reads a clock or the table.

const SECOND = 1000
const MINUTE = 60 * SECOND

/** The most attempts of a webhook that are under way at the same time. */
export const MOST_AT_ONCE = 10
/** After this many failures in a row a webhook is FAILING. */
const FAILURES = 5
/** A webhook that fails after so long a time is disabled. */
const LONGEST_FAILING_MS = 5 * DAY_MS
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
