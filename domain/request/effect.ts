import { AppError, type Done, StaleRead, StoreUnreachable } from '../base/errors.ts'
import type { Share, Store } from '../table/store.ts'

/** What a call has written so far. An error answer shows it as `done`. */
export type Effect = {
  done: () => Done
  /** Runs a write and notes its outcome. */
  note: (share: Share | undefined, write: () => Promise<void>) => Promise<void>
}

/** The effect of a call that has not sent any write yet. */
export function newEffect(): Effect {
  let underWay = 0
  let isDone = false
  let isUncertain = false
  return {
    done: () => isDone || (isUncertain || underWay > 0 ? 'unknown' : false),
    note: async (share, write) => {
      if (share === 'aside') return write()
      underWay++
      try {
        await write()
        isDone ||= share === undefined
        isUncertain ||= share === 'part'
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
  write: (actions, share) => effect.note(share, () => store.write(actions, share)),
})
