import { decideAgain } from '../base/retry.ts'
import type { Store } from '../table/store.ts'

// Noted work, step by step, as far as there is time.

/** What an attempt needs: when it began, the clock as it goes on, and the milliseconds that are left. */
export type Work = { store: Store; now: string; clock: () => Date; timeLeft: () => number }

/** How long a step of noted work may take, with all that has to be written after it. */
const STEP_MS = 8000

/** Whether there is no time for another step, which may take so many milliseconds. */
export const isShortOfTime = ({ timeLeft }: Pick<Work, 'timeLeft'>, stepMs = STEP_MS): boolean => timeLeft() < stepMs

/** The time that a call has for noted work before it answers: at most `ms` milliseconds. */
export function timeBeforeAnswer({ clock, timeLeft }: Pick<Work, 'clock' | 'timeLeft'>, ms: number): () => number {
  const until = clock().getTime() + ms
  // `isShortOfTime` wants the time of a step to be left.
  return () => Math.min(timeLeft(), until - clock().getTime() + STEP_MS)
}

type Timed = Pick<Work, 'timeLeft'>

/**
 * Does work step by step, as far as there is time. A step gets what is left to do and returns what is left after it; undefined if that
 * is nothing, or nothing now. Returns what is left when the time is too short.
 */
export async function inSteps<Left>(
  work: Timed,
  all: Left,
  step: (left: Left) => Promise<Left | undefined>,
): Promise<Left | undefined> {
  let left: Left | undefined = all
  while (left !== undefined && !isShortOfTime(work)) left = await step(left)
  return left
}

/**
 * The same, where each step is written on what was read for it. If `write` throws StaleRead, because a record has changed or another
 * process has done the step, `readAgain` reads what is left.
 */
export const inWrittenSteps = <Left extends object>(
  work: Timed,
  all: Left,
  {
    write,
    readAgain,
  }: { write: (left: Left) => Promise<Left | undefined>; readAgain: () => Promise<Left | undefined> },
): Promise<Left | undefined> =>
  inSteps(work, all, (left) => {
    let read: Left | undefined = left
    return decideAgain(async () => {
      read ??= await readAgain()
      const attempt = read
      read = undefined
      return attempt ? write(attempt) : undefined
    })
  })
