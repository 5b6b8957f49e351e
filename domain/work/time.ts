import type { Store } from '../table/store.ts'

// The time of an attempt at noted work.

/** What an attempt needs: when it began, the clock as it goes on, and the milliseconds that are left. */
export type Work = { store: Store; now: string; clock: () => Date; timeLeft: () => number }

/** How long a step of noted work may take, with all that has to be written after it. */
const STEP_MS = 8000

/** Whether there is no time for another step, which may take so many milliseconds. */
export const isShortOfTime = ({ timeLeft }: Pick<Work, 'timeLeft'>, stepMs = STEP_MS): boolean => timeLeft() < stepMs

/** The time that a call has for noted work before it answers: no more than so many milliseconds of its own. */
export function timeBeforeAnswer({ clock, timeLeft }: Pick<Work, 'clock' | 'timeLeft'>, ms: number): () => number {
  const until = clock().getTime() + ms
  return () => Math.min(timeLeft(), until - clock().getTime() + STEP_MS)
}
