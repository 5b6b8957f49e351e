import { absent, is } from '../table/expressions.ts'
import { groupExternalIdKey, groupTreeKey, groupWorkKey, treeVersionKey } from '../table/keys.ts'
import { externalIds } from '../table/names.ts'
import { type Action, type Item, replacing } from '../table/store.ts'
import { type Group, groupItems, groupMembers } from './group.ts'

const idTaken = { code: 'DUPLICATE_ID', property: 'id' } as const

/** All that comes to exist with a group, in one transaction; `counter` is the first of its counters as it was read. */
export function groupCreation(group: Group, counter: Item | undefined): Action[] {
  const [record, row] = groupItems(group)
  const isFree = { if: absent, otherwise: idTaken }
  return [
    { put: record, ...isFree },
    // Of a deleted group something may be left.
    { check: groupWorkKey(group.id), ...isFree },
    ...groupExternalIds.take(group),
    parentIsActive(group),
    { put: row },
    ...groupMembers(group.id).openForNew(counter),
    { update: treeVersionKey, add: { version: 1 } },
  ]
}

/** All that a change of a group's record changes beside it; fails as stale where it has been changed meanwhile. */
export function groupChange(before: Group, after: Group): Action[] {
  const [record, row] = groupItems(after)
  const isElsewhere = before.parent_id !== after.parent_id
  return [
    replacing(record, before),
    ...groupExternalIds.change(before, after),
    ...(isElsewhere || before.status !== after.status ? [{ put: row }] : []),
    ...(isElsewhere ? [parentIsActive(after)] : []),
  ]
}

/** The external ids of user groups. */
export const groupExternalIds = externalIds<Group>(groupExternalIdKey)

/** What archives a group: its counters take no more members, and the entry says who has yet to leave. */
export const groupArchiving = (before: Group, after: Group, entry: Item): Action[] => [
  ...groupChange(before, after),
  ...groupMembers(after.id).close(),
  { put: entry },
]

/** What restores a group below an active one, once nothing is left to do for its archiving. */
export const groupRestoration = (before: Group, after: Group): Action[] => [
  ...groupChange(before, after),
  ...(after.parent_id === null ? [] : [parentIsActive(after)]),
  ...groupMembers(after.id).open(),
  { check: groupWorkKey(after.id), if: absent },
]

/** Nothing comes to lie below a group that is archived or deleted meanwhile. */
export const parentIsActive = ({ parent_id }: Group): Action => ({
  check: groupTreeKey(parent_id ?? ''),
  if: is({ status: 'ACTIVE' }),
})
