import { setTimeout } from 'node:timers/promises'
import { refuse, StaleRead } from './errors.ts'

/**
 * Works through a sequence, `atOnce` at a time; `nth` counts from 0. After a failure it starts nothing new, and throws once
 * all that was started has ended: then nothing runs beside what the caller does next.
 */
export async function inParallel<T>(
  atOnce: number,
  all: Iterable<T>,
  work: (one: T, nth: number) => Promise<void>,
): Promise<void> {
  const left = all[Symbol.iterator]()
  let nth = 0
  let failure: { error: unknown } | undefined
  const worker = async (): Promise<void> => {
    for (let next = left.next(); !next.done && !failure; next = left.next())
      await work(next.value, nth++).catch((error: unknown) => {
        failure ??= { error }
      })
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failure) throw failure.error
}

/** A sequence in slices of at most `size`. */
export function* slices<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size)
}

const FIRST_MS = 15
const LONGEST_MS = 400

/** Waits before the next attempt: a random part of a time that doubles, so that losers do not meet again. */
export const backOff = (attempt: number): Promise<void> =>
  setTimeout(Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt))

type Policy = {
  attempts: number
  /** Whether a failure may be gone at the next attempt. */
  again: (error: unknown) => boolean
  /** Waits after attempt 1, 2, 3…; backs off if not given. */
  wait?: (attempt: number) => Promise<unknown>
}

/** The one loop that repeats what failed: throws the last failure, or the first that no repetition can help. */
export async function retry<T>(run: (attempt: number) => Promise<T>, { attempts, again, wait }: Policy): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(attempt)
    } catch (error) {
      if (attempt === attempts || !again(error)) throw error
      await (wait ?? backOff)(attempt)
    }
  }
}

const DECISIONS = 10

/** Reads, decides and writes again while others were faster; gives up as CONCURRENT_MODIFICATION. */
export const decideAgain = <T>(readDecideWrite: () => Promise<T>): Promise<T> =>
  retry(readDecideWrite, { attempts: DECISIONS, again: isStale }).catch((error: unknown) => {
    throw isStale(error) ? refuse('CONCURRENT_MODIFICATION') : error
  })

const isStale = (error: unknown): boolean => error instanceof StaleRead
