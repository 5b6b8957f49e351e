import { AppError } from '../base/errors.ts'

// What an answer shows of the records that its call has written.

/**
 * Writes, and in parallel reads what the answer shows. If only the read fails, it is repeated once after the write. If
 * it fails again, the answer is 503: the call is done but cannot be shown.
 */
export async function writeAndShow<T>(write: Promise<void> | undefined, show: () => Promise<T>): Promise<T> {
  const [written, shown] = await Promise.allSettled([write, show()])
  if (written.status === 'rejected') throw written.reason
  if (shown.status === 'fulfilled') return shown.value
  return write ? show().catch(notShown) : show()
}

/** Reads what the answer of a call shows whose writes are over; once more if that fails. If it fails again, the answer is 503. */
export const showWritten = <T>(show: () => Promise<T>): Promise<T> => show().catch(() => show().catch(notShown))

function notShown(error: unknown): never {
  if (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') throw error
  throw new AppError('SERVICE_UNAVAILABLE', { cause: (error as Error).name })
}
