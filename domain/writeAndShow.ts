import { refuse } from './errors.ts'

/**
 * Writes, and meanwhile prepares the answer. Only a failed write may be told as something that did not happen: an answer
 * that could not be read is tried once more when the write is done, and then says that it was done.
 */
export async function writeAndShow<T>(write: Promise<void> | undefined, show: () => Promise<T>): Promise<T> {
  const [written, shown] = await Promise.allSettled([write, show()])
  if (written.status === 'rejected') throw written.reason
  if (shown.status === 'fulfilled') return shown.value
  return show().catch(() => {
    throw refuse('SERVICE_UNAVAILABLE', undefined, 'The change was made, but the record cannot be shown just now')
  })
}
