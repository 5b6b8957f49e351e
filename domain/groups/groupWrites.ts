import { absent, has, is, lacks } from '../table/expressions.ts'
import { givingUpExternalId, takingExternalId } from '../table/externalIds.ts'
import { groupCountKeys, groupExternalIdKey, groupWorkKey, treeVersionKey } from '../table/groupKeys.ts'
import { groupCountKey, groupTreeKey } from '../table/keys.ts'
import { type Action, type Item, replacing } from '../table/store.ts'
import { type Group, groupItems } from './group.ts'

const idTaken = { code: 'DUPLICATE_ID', property: 'id' } as const

/** All that comes to exist with a group, in one transaction; `counter` is the first of its counters as it was read. */
export function groupCreation(group: Group, counter: Item | undefined): Action[] {
  const [record, row] = groupItems(group)
  const isFree = { if: absent, otherwise: idTaken }
  return [
    { put: record, ...isFree },
    // Of a deleted group something may be left.
    { check: groupWorkKey(group.id), ...isFree },
    ...takingExternalId(groupExternalIdKey, group),
    parentIsActive(group),
    { put: row },
    ...openCounters(group.id, counter),
    { update: treeVersionKey, add: { version: 1 } },
  ]
}

/**
 * Lets a group be joined that is about to come to exist; `counter` is the first of its counters as it was read, closed
 * where a group of this id has been deleted.
 */
export const openCounters = (id: string, counter: Item | undefined): Action[] =>
  counter?.archived
    ? groupCountKeys(id).map((update) => ({ update, clear: ['archived'], if: has('archived') }))
    : [{ check: groupCountKey(id, 0), if: lacks('archived') }]

/** All that a change of a group's record changes beside it; fails as stale where it has been changed meanwhile. */
export function groupChange(before: Group, after: Group): Action[] {
  const [record, row] = groupItems(after)
  const isElsewhere = before.parent_id !== after.parent_id
  return [
    replacing(record, before),
    ...(before.external_id === after.external_id ? [] : externalIdChange(before, after)),
    ...(isElsewhere || before.status !== after.status ? [{ put: row }] : []),
    ...(isElsewhere ? [parentIsActive(after)] : []),
  ]
}

/** Takes one external id, which must be free, and gives up another. */
export const externalIdChange = (before: Group | undefined, after: Group): Action[] => [
  ...takingExternalId(groupExternalIdKey, after),
  ...(before ? givingUp(before) : []),
]

/** What archives a group: its counters take no more members, and the entry says who has yet to leave. */
export const groupArchiving = (before: Group, after: Group, entry: Item): Action[] => [
  ...groupChange(before, after),
  ...groupCountKeys(after.id).map((update) => ({ update, set: { archived: true } })),
  { put: entry },
]

/** What restores a group below an active one, once nothing is left to do for its archiving. */
export const groupRestoration = (before: Group, after: Group): Action[] => [
  ...groupChange(before, after),
  ...(after.parent_id === null ? [] : [parentIsActive(after)]),
  ...groupCountKeys(after.id).map((update) => ({ update, clear: ['archived'] })),
  { check: groupWorkKey(after.id), if: absent },
]

/** Gives the external id up, if it is still the group's. */
export const givingUp = (group: Group): Action[] => givingUpExternalId(groupExternalIdKey, group)

/** Nothing comes to lie below a group that is archived or deleted meanwhile. */
export const parentIsActive = ({ parent_id }: Group): Action => ({
  check: groupTreeKey(parent_id ?? ''),
  if: is({ status: 'ACTIVE' }),
})
