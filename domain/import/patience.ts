import { setTimeout } from 'node:timers/promises'
import { AppError, StoreBusy } from '../base/errors.ts'

const ATTEMPTS = 8

/**
 * Tries again and again for about half a minute while the store is busy or others change the same records, and nothing
 * was done: an import has the time that a request has not.
 */
export const patiently = <T>(work: () => Promise<T>): Promise<T> =>
  again(work, (error) => error instanceof StoreBusy || isRefused(error, 'CONCURRENT_MODIFICATION'))

/** The same for what may be done twice, so that it is repeated as well when nobody can tell what became of it. */
export const doggedly = <T>(work: () => Promise<T>): Promise<T> =>
  again(work, (error) => isRefused(error, 'SERVICE_UNAVAILABLE'))

const isRefused = (error: unknown, code: AppError['code']): boolean => error instanceof AppError && error.code === code

async function again<T>(work: () => Promise<T>, isWorthIt: (error: unknown) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isWorthIt(error) || attempt === ATTEMPTS) throw error
      await setTimeout(attempt * 1_000)
    }
  }
}
