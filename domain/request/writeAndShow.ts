import { AppError } from '../base/errors.ts'

/**
 * Writes, and meanwhile prepares the answer. Only a failed write may be told as something that did not happen: an answer
 * that could not be read is tried once more when the write is done, and then is one that cannot be given just now.
 */
export async function writeAndShow<T>(write: Promise<void> | undefined, show: () => Promise<T>): Promise<T> {
  const [written, shown] = await Promise.allSettled([write, show()])
  if (written.status === 'rejected') throw written.reason
  if (shown.status === 'fulfilled') return shown.value
  return write ? show().catch(notShown) : show()
}

function notShown(error: unknown): never {
  if (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') throw error
  throw new AppError('SERVICE_UNAVAILABLE', { cause: (error as Error).name })
}
