import { sideBySide } from '../import/sideBySide.ts'
import { readOrganisation } from '../organisation/organisation.ts'
import { retrying } from '../retrying.ts'
import { groupWorkLeft } from '../store/groupKeys.ts'
import { all, type Item, type Store } from '../store/store.ts'
import { isLate } from '../tasks/taskWork.ts'
import { clearGroup } from './clearGroup.ts'
import { evictMembers } from './evictMembers.ts'
import { readGroup } from './group.ts'
import { ended, type GroupWork } from './groupWork.ts'
import { removeNext } from './removeGroups.ts'

type Scheduled = { store: Store; now: string; timeLeft: () => number; log: (line: object) => void }

/** Work on groups leaves this much of a run to whatever comes after it. */
const FOR_OTHERS_MS = 12_000

/** Finishes what calls that died, or had no time for all of it, have left to do for groups. */
export async function finishGroupWork(context: Scheduled): Promise<void> {
  const left = await all(context.store, groupWorkLeft)
  const due = left.filter((entry) => String(entry.due) <= context.now)
  if (due.length === 0) return
  const { predefined } = await readOrganisation(context.store)
  const work = { ...context, predefined, timeLeft: () => context.timeLeft() - FOR_OTHERS_MS }
  for (const entry of due) {
    if (isLate(work)) return
    try {
      await (entry.kind === 'archive' ? finishArchiving(work, entry) : finishDeletion(work, entry))
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

/** Groups cleared at once. */
const AT_ONCE = 4

type Removed = Awaited<ReturnType<typeof removeNext>>

/**
 * Removes what lies below a deleted group, then what is left of all of them; `first` is what has been removed already.
 * False when the time was too short for their records; the rest is nobody's to see, so it is not waited for.
 */
export async function finishDeletion(work: GroupWork, entry: Item, first?: Removed): Promise<boolean> {
  const isThere = first ? !first.isAll : (await readGroup(work.store, entry.sk)) !== undefined
  const removed = first?.entries ?? [entry]
  for (let isLeft = isThere; isLeft; ) {
    if (isLate(work)) return false
    const next = await retrying(() => removeNext(work, entry))
    removed.push(...next.entries)
    isLeft = !next.isAll
  }
  await sideBySide(AT_ONCE, new Set(removed), async (one) => {
    if (!isLate(work)) await clearGroup(work, one).catch(() => undefined)
  })
  return true
}
