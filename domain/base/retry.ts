import { setTimeout } from 'node:timers/promises'
import { refuse, StaleRead } from './errors.ts'

// What is tried again, and after which wait.

const FIRST_MS = 15
const LONGEST_MS = 400

/** Milliseconds before the next attempt: a random part of a time that doubles, so that two calls do not collide again. */
export const jitter = (attempt: number, longest = LONGEST_MS): number =>
  Math.random() * Math.min(longest, FIRST_MS * 2 ** attempt)

/** Waits before the next attempt. */
export const backOff = (attempt: number): Promise<void> => setTimeout(jitter(attempt))

/** How often to try, and after which errors. */
type RetryPolicy = {
  attempts: number
  /** Whether another attempt may succeed after this error. */
  again: (error: unknown) => boolean
  /** Waits after attempt 1, 2, 3…; `backOff` by default. */
  wait?: (attempt: number, error: unknown) => Promise<unknown>
}

/**
 * Repeats what failed: a request, or a step that is the same each time. Throws the last error, or the first one after which
 * another attempt cannot succeed. docs/architecture.md lists what is repeated where.
 */
export async function retry<T>(
  run: (attempt: number) => Promise<T>,
  { attempts, again, wait = backOff }: RetryPolicy,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(attempt)
    } catch (error) {
      if (attempt === attempts || !again(error)) throw error
      await wait(attempt, error)
    }
  }
}

const DECISIONS = 10

/**
 * Reads, decides and writes; does so again if the write throws StaleRead, because another call has changed what was read.
 * Throws CONCURRENT_MODIFICATION after ten attempts.
 */
export const decideAgain = <T>(readDecideWrite: () => Promise<T>): Promise<T> =>
  retry(readDecideWrite, { attempts: DECISIONS, again: isStale }).catch((error: unknown) => {
    throw isStale(error) ? refuse('CONCURRENT_MODIFICATION') : error
  })

const isStale = (error: unknown): boolean => error instanceof StaleRead
