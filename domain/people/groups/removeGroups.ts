import { StaleRead } from '../../base/errors.ts'
import { decideAgain } from '../../base/retry.ts'
import { succeeded } from '../../table/actions.ts'
import { removeRecord, requireUnchanged } from '../../table/changes.ts'
import { giveUpExternalId } from '../../table/externalIds.ts'
import { groupExternalIdKey, groupTreeKey, idOfWork } from '../../table/keys.ts'
import { mostThatFit, pack } from '../../table/pack.ts'
import type { Action } from '../../table/store.ts'
import { endOfWorkLease, recordProgress } from '../../table/work.ts'
import { isShortOfTime } from '../../work/steps.ts'
import { existingGroup, type Group, groups } from '../records/group.ts'
import { checkGroupAction, type GroupEntry, groupEntry, treePlaceOf } from '../records/groupRules.ts'
import { groupsFrom, readTree, readTreeVersion, treeChanged, unlessChanged } from '../records/groupTree.ts'
import { clearGroup } from './clearGroup.ts'
import type { GroupWork } from './moveToAllUsers.ts'

/** The work entries of the groups whose records are deleted, and whether all groups to delete are among them. */
type Removed = { entries: GroupEntry[]; isAll: boolean }

/** The tree, the entry of the top group, and its record. */
const BESIDES = 3
/** Groups removed in one transaction: each takes up to four actions and an event. */
const GROUPS_PER_TRANSACTION = mostThatFit({ each: 5, besides: BESIDES, hasEvents: true })

/**
 * Deletes the records of an archived group and of all below it, as far as there is time, at least in one transaction.
 * `check` may refuse the archived group before anything is deleted.
 */
export async function removeGroups(
  work: GroupWork,
  top: GroupEntry,
  check: (group: Group) => void = () => {},
): Promise<Removed> {
  const entries: GroupEntry[] = []
  for (;;) {
    const next = await decideAgain(() => removeNext(work, top, entries.length === 0 ? check : undefined))
    entries.push(...next.entries)
    if (next.isAll || isShortOfTime(work)) return { entries, isAll: next.isAll }
  }
}

/** Finishes a deletion: first the groups below, then what is left of this one. Each group below has another entry. */
export async function finishGroupDeletion(work: GroupWork, entry: GroupEntry): Promise<void> {
  const group = await groups.read(work.store, idOfWork(entry))
  const { entries, isAll } = group ? await removeGroups(work, entry) : { entries: [entry], isAll: true }
  const own = entries.findLast(({ sk }) => sk === entry.sk)
  if (!isAll || !own || isShortOfTime(work) || !(await clearGroup(work, own))) return
  // The entry waits until the id is free. Until then no process needs to look at it.
  await succeeded(
    work.store.write([recordProgress(work, own, { due: own.kept }, { token: own.token })], 'housekeeping'),
  )
}

/**
 * Deletes the records of a group and of those below it, the lowest first, as many as one transaction takes. Each deleted
 * record leaves a work entry, which blocks its id until the group is removed completely. The entry of the top group is written
 * with the first transaction: then the rest is deleted, too, even if this call dies. Before that, a group that is restored
 * meanwhile stays, with all below it.
 */
async function removeNext(work: GroupWork, top: GroupEntry, check?: (group: Group) => void): Promise<Removed> {
  const { store, clock, predefined } = work
  const topId = idOfWork(top)
  // The version comes before the tree, so that a change between the two reads or later makes the write fail.
  const version = await readTreeVersion(store)
  const [tree, topGroup] = await Promise.all([readTree(store, 'strong'), existingGroup(store, topId)])
  check?.(topGroup)
  checkGroupAction('delete', topGroup)
  await unlessChanged(store, version, () =>
    checkGroupAction('delete', topGroup, treePlaceOf(tree, topGroup, predefined)),
  )
  const below = groupsFrom(tree, topId).reverse()
  const reads = below.slice(0, GROUPS_PER_TRANSACTION).map((id) => (id === topId ? topGroup : groups.read(store, id)))
  const found = (await Promise.all(reads)).filter((group) => group !== undefined)
  if (found.length < reads.length) throw new StaleRead()
  // How long the ids stay blocked counts from now, when the records are deleted.
  const now = clock().toISOString()
  const gone = { now, token: top.token }
  // A call clears all of them; a worker clears the top one, and others clear the rest.
  const takerOf = (id: string) => (id === topId || top.taker === 'CALL' ? top.taker : 'STREAM')
  const entryOf = ({ id }: Group) => groupEntry(id, 'delete', { ...gone, taker: takerOf(id) })
  const [removed = { pieces: [], actions: [] }] = pack(found, (group) => [...removal(group), { put: entryOf(group) }], {
    spare: BESIDES,
  })
  const isAll = removed.pieces.length === below.length
  const entries = removed.pieces.map(entryOf)
  const actions = [
    treeChanged(version),
    ...removed.actions,
    ...(isAll ? [] : [{ put: { ...top, due: endOfWorkLease(now) } }, requireUnchanged(groups, topGroup)]),
  ]
  await store.write(actions, isAll ? undefined : 'part-of-call')
  return { entries, isAll }
}

const removal = (group: Group): Action[] => [
  removeRecord(groups, group),
  { delete: groupTreeKey(group.id) },
  ...giveUpExternalId(groupExternalIdKey, group),
]
