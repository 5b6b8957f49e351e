import { setTimeout } from 'node:timers/promises'
import { StoreBusy } from '../errors.ts'

const ATTEMPTS = 8

/** Asks a busy store again and again for about half a minute: an import has the time that a request has not. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreBusy) || attempt === ATTEMPTS) throw error
      await setTimeout(attempt * 1_000)
    }
  }
}
