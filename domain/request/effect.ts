import { AppError, type Done, StoreUnreachable } from '../base/errors.ts'
import { StaleRead, type Store, type Weight } from '../table/store.ts'

/** What has become of a call by now, as the writes tell that it has sent. */
export type Effect = {
  done: () => Done
  /** Notes what becomes of a write. */
  note: (weight: Weight | undefined, write: () => Promise<void>) => Promise<void>
}

/** The effect of a call that has not sent any write yet. */
export function newEffect(): Effect {
  let underWay = 0
  let isDone = false
  let isOpen = false
  return {
    done: () => isDone || (isOpen || underWay > 0 ? 'unknown' : false),
    note: async (weight, write) => {
      if (weight === 'aside') return write()
      underWay++
      try {
        await write()
        isDone ||= weight === undefined
        isOpen ||= weight === 'part'
      } catch (error) {
        isOpen ||= mayBeDone(error)
        throw error
      } finally {
        underWay--
      }
    },
  }
}

/** A refusal says that nothing was done; of a fault that nobody has foreseen, nobody can tell. */
function mayBeDone(error: unknown): boolean {
  if (error instanceof StoreUnreachable) return error.mayBeDone
  return !(error instanceof AppError || error instanceof StaleRead)
}

/** A store whose writes are noted. */
export const noting = (store: Store, effect: Effect): Store => ({
  ...store,
  write: (actions, weight) => effect.note(weight, () => store.write(actions, weight)),
})
