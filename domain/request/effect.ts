import { AppError, type Done, StaleRead, StoreUnreachable } from '../base/errors.ts'
import type { Store, WritePurpose } from '../table/store.ts'

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
