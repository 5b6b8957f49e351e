import { groups } from '../groups/group.ts'
import { readOrganisation } from '../organisation/organisation.ts'
import { groupWorkLeft } from '../table/keys.ts'
import { all, type Item } from '../table/store.ts'
import { isLate } from '../table/work.ts'
import { clearGroup } from './clearGroup.ts'
import { evictMembers } from './evictMembers.ts'
import { ended, type GroupWork } from './groupWork.ts'
import { removeRest } from './removeGroups.ts'
import { dueByAttribute, type Outcome, type Scheduled, workThrough } from './workThrough.ts'

/** Groups are worked on a few at a time; whatever comes after them needs some of the run, too. */
const groupWork = { name: 'groups', atOnce: 4, spares: 12_000, ...dueByAttribute }

/** Finishes what calls that died, or had no time for all of it, have left to do for groups. */
export async function finishGroupWork(context: Scheduled): Promise<Outcome> {
  const entries = await all(context.store, groupWorkLeft)
  if (entries.length === 0) return { failed: 0, left: false }
  const { predefined } = await readOrganisation(context.store)
  return workThrough(
    context,
    { ...groupWork, finish: (work, entry) => finish({ ...work, predefined }, entry) },
    entries,
  )
}

async function finish(work: GroupWork, entry: Item): Promise<void> {
  if (entry.kind === 'archive') await finishArchiving(work, entry)
  else await finishDeletion(work, entry)
}

/** Moves those on whose primary group was archived; false when the time was too short for all of them. */
export async function finishArchiving(work: GroupWork, entry: Item): Promise<boolean> {
  const group = await groups.read(work.store, entry.sk)
  const isDone = group?.status !== 'ARCHIVED' || (await evictMembers(work, group.id))
  if (isDone) await ended(work.store, entry)
  return isDone
}

/** Removes what lies below a deleted group, and what is left of the group itself. The others have entries of their own. */
async function finishDeletion(work: GroupWork, entry: Item): Promise<void> {
  const isAll = (await groups.read(work.store, entry.sk)) === undefined
  const removed = await removeRest(work, entry, { entries: [entry], isAll })
  const own = removed.entries.findLast(({ sk }) => sk === entry.sk)
  if (removed.isAll && own && !isLate(work)) await clearGroup(work, own)
}
