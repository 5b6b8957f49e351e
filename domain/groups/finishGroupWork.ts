import { readOrganisation } from '../organisation/organisation.ts'
import { groupWorkLeft } from '../store/groupKeys.ts'
import { all, type Item, type Store } from '../store/store.ts'
import { evictMembers } from './evictMembers.ts'
import { readGroup } from './group.ts'
import { ended, type GroupWork, RESERVE_MS } from './groupWork.ts'

type Scheduled = { store: Store; now: string; timeLeft: () => number; log: (line: object) => void }

/** Finishes what calls that died, or had no time for all of it, have left to do for groups. */
export async function finishGroupWork(context: Scheduled): Promise<void> {
  const left = await all(context.store, groupWorkLeft)
  const due = left.filter((entry) => String(entry.due) <= context.now)
  if (due.length === 0) return
  const { predefined } = await readOrganisation(context.store)
  const work = { ...context, memberRole: predefined.USER_GROUP_MEMBER ?? '', allUsers: predefined.ALL_USERS ?? '' }
  for (const entry of due) {
    if (context.timeLeft() < RESERVE_MS) return
    try {
      await finishArchiving(work, entry)
    } catch (error) {
      // The next run tries again; until then the others must not wait.
      context.log({ level: 'error', endpoint: 'purge', fault: (error as Error).name })
    }
  }
}

/** Moves those on whose primary group was archived; false when the time was too short for all of them. */
export async function finishArchiving(work: GroupWork, entry: Item): Promise<boolean> {
  const group = await readGroup(work.store, entry.sk)
  const isDone = group?.status !== 'ARCHIVED' || (await evictMembers(work, group.id))
  if (isDone) await ended(work.store, entry)
  return isDone
}
