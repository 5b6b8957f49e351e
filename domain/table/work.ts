import type { Store } from './store.ts'

/** Whoever begins such work does it at once; if he dies, the schedule takes over after this time. */
const GRACE_MS = 60_000

/** When work that begins now is due for the schedule. */
export const dueWork = (now: string): string => new Date(Date.parse(now) + GRACE_MS).toISOString()

/**
 * What work that has been noted needs from outside: `now` is when this attempt began, `clock` tells the time as it goes on,
 * `timeLeft` answers milliseconds.
 */
export type Work = { store: Store; now: string; clock: () => Date; timeLeft: () => number }

/** Whoever does such work stops this long before his time is over. */
const RESERVE_MS = 8000

/** Whether there is no time for another step. */
export const isLate = ({ timeLeft }: Pick<Work, 'timeLeft'>): boolean => timeLeft() < RESERVE_MS
