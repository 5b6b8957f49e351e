import { AppError, type Done, StaleRead, StoreUnreachable } from '../base/errors.ts'
import type { Store, WritePurpose } from '../table/store.ts'

// What a call has written: errors say it, and answers show it.

/** What a call has written so far. An error answer shows it as `done`. */
export type Effect = {
  done: () => Done
  /** Runs a write and notes its outcome. */
  note: (purpose: WritePurpose | undefined, write: () => Promise<void>) => Promise<void>
}

/** The effect of a call that has not sent any write yet. */
export function newEffect(): Effect {
  let underWay = 0
  let isDone = false
  let isUncertain = false
  return {
    done: () => isDone || (isUncertain || underWay > 0 ? 'unknown' : false),
    note: async (purpose, write) => {
      if (purpose === 'housekeeping') return write()
      underWay++
      try {
        await write()
        isDone ||= purpose === undefined
        isUncertain ||= purpose === 'part-of-call'
      } catch (error) {
        isUncertain ||= mayBeDone(error)
        throw error
      } finally {
        underWay--
      }
    },
  }
}

/** A refusal means that nothing was written. After an unexpected error this is not known. */
function mayBeDone(error: unknown): boolean {
  if (error instanceof StoreUnreachable) return error.mayBeDone
  return !(error instanceof AppError || error instanceof StaleRead)
}

/** A store that notes the outcome of its writes. */
export const noteWrites = (store: Store, effect: Effect): Store => ({
  ...store,
  write: (actions, purpose) => effect.note(purpose, () => store.write(actions, purpose)),
})

// What an answer shows of it.

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
