import { setTimeout } from 'node:timers/promises'
import { AppError, StoreBusy } from '../errors.ts'

const ATTEMPTS = 8

/** Asks a busy store again and again for about half a minute: an import has the time that a request has not. */
export const patiently = <T>(work: () => Promise<T>): Promise<T> => again(work, (error) => error instanceof StoreBusy)

/** The same for what may be done twice, so that it is repeated as well when nobody can tell what became of it. */
export const doggedly = <T>(work: () => Promise<T>): Promise<T> =>
  again(work, (error) => error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE')

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
