import { groups } from '../groups/group.ts'
import { readOrganisation } from '../organisation/organisation.ts'
import { idOfWork, isLate, type Work } from '../table/work.ts'
import { clearGroup } from './clearGroup.ts'
import { evictMembers } from './evictMembers.ts'
import { ended, type GroupEntry, type GroupWork } from './groupWork.ts'
import { removeRest } from './removeGroups.ts'

/** Finishes what is left to do for a group that was archived or deleted. */
export async function finishGroup(work: Work, entry: GroupEntry): Promise<void> {
  const { predefined } = await readOrganisation(work.store)
  if (entry.todo === 'archive') await finishArchiving({ ...work, predefined }, entry)
  else await finishDeletion({ ...work, predefined }, entry)
}

/** Moves those on whose primary group was archived; false when the time was too short for all of them. */
export async function finishArchiving(work: GroupWork, entry: GroupEntry): Promise<boolean> {
  const group = await groups.read(work.store, idOfWork(entry))
  const isDone = group?.status !== 'ARCHIVED' || (await evictMembers(work, group.id))
  if (isDone) await ended(work.store, entry)
  return isDone
}

/** Removes what lies below a deleted group, and what is left of the group itself. The others have entries of their own. */
async function finishDeletion(work: GroupWork, entry: GroupEntry): Promise<void> {
  const isAll = (await groups.read(work.store, idOfWork(entry))) === undefined
  const removed = await removeRest(work, entry, { entries: [entry], isAll })
  const own = removed.entries.findLast(({ sk }) => sk === entry.sk)
  if (removed.isAll && own && !isLate(work)) await clearGroup(work, own)
}
