// When a delivery is tried again. Nothing here reads a clock or the table.

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
