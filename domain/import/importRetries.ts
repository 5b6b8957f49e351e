import { setTimeout } from 'node:timers/promises'
import { AppError, StoreBusy } from '../base/errors.ts'
import { retry } from '../base/retry.ts'

const ATTEMPTS = 8

/**
 * Repeats a write for about half a minute while the database is busy, or others change the same records. It repeats only
 * failures that have written nothing.
 */
export const retryBusy = <T>(work: () => Promise<T>): Promise<T> =>
  repeat(work, (error) => error instanceof StoreBusy || isRefused(error, 'CONCURRENT_MODIFICATION'))

/** Whether an error is the refusal with this code. */
export const isRefused = (error: unknown, code: AppError['code']): boolean =>
  error instanceof AppError && error.code === code

/** Repeats work for about half a minute, while `again` says so of its error. */
export const repeat = <T>(work: () => Promise<T>, again: (error: unknown) => boolean): Promise<T> =>
  retry(work, { attempts: ATTEMPTS, again, wait: (attempt) => setTimeout(attempt * 1_000) })
