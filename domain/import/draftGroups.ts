import { isDeepStrictEqual } from 'node:util'
import {
  type Group,
  groupFields,
  groupMembers,
  groups as groupRecords,
  requireActiveGroup,
} from '../people/records/group.ts'
import { checkGroupAction } from '../people/records/groupRules.ts'
import { treeRow } from '../people/records/groupTree.ts'
import type { Organisation } from '../people/records/organisation.ts'
import { replaceRecord } from '../table/changes.ts'
import { absent } from '../table/expressions.ts'
import { changeExternalId } from '../table/externalIds.ts'
import { groupCountKey, groupExternalIdKey, groupKey, roleCount, workKey } from '../table/keys.ts'
import type { Action } from '../table/store.ts'
import type { FileRecord } from './directoryFile.ts'
import { type Draft, type DraftedChange, draftChange, type Structure } from './draft.ts'
import { type AddFault, checkFixed, checkNamed, checkRule } from './draftFaults.ts'
import type { Lookup } from './lookup.ts'
import { wantedRecord } from './wantedRecord.ts'

type Predefined = Required<Organisation['predefined']>
type GroupInFile = FileRecord<'user_groups'>
type DraftedGroup = { addFault: AddFault; before: Group | undefined; data: Group; change: DraftedChange }

/** Decides what becomes of the user groups of the file. */
export async function draftGroups(draft: Draft, predefined: Predefined, stored: Lookup): Promise<void> {
  const drafted: DraftedGroup[] = []
  for (const record of draft.file.user_groups) drafted.push(await draftGroup(draft, record, { predefined, stored }))
  for (const one of drafted) checkChange(draft, one)
  for (const one of drafted) checkParent(draft, one)
  // Parents are written first, so that at any moment every group has one.
  const depths = new Map(drafted.map((one) => [one, groupsAbove(draft.structure, one.data.id).size]))
  for (const one of drafted.toSorted((a, b) => (depths.get(a) ?? 0) - (depths.get(b) ?? 0)))
    draftChange(draft, 'user_groups', one.change)
}

async function draftGroup(
  draft: Draft,
  record: GroupInFile,
  { predefined, stored }: { predefined: Predefined; stored: Lookup },
): Promise<DraftedGroup> {
  const { id, type: kind } = record.value
  const { now } = draft.context
  const parent_id = kind === 'ROOT' ? null : predefined.ROOT
  const fresh = groupFields.create({}, { id, parent_id, created_at: now, updated_at: now })
  const before = groupRecords.of(stored(groupKey(id)))
  const { addFault, data, outcome } = wantedRecord(draft, 'user_groups', record, { before, fresh })
  const { type } = data
  checkFixed(fixed[type], { data, stored: before }, addFault)
  if (type !== 'CUSTOM' && predefined[type] !== data.id)
    addFault('type', `must be unique: the group ${predefined[type]} has it already`)
  if (type !== 'CUSTOM' && data.status === 'ARCHIVED') addFault('status', 'must be ACTIVE for a predefined group')
  if (type === 'ROOT' && data.parent_id !== null) addFault('parent_id', 'must not be given: the root has no parent')
  checkFree(data, stored, addFault)
  draft.structure.groups.set(data.id, data)
  const counters =
    before || data.status === 'ARCHIVED'
      ? await archiving(draft, before, data, { memberRole: predefined.USER_GROUP_MEMBER, addFault })
      : groupMembers(data.id).openForNew(stored(groupCountKey(data.id, 0)))
  const change: DraftedChange = {
    write: replaceRecord(groupRecords, before, data),
    outcome,
    also: [
      { put: treeRow(data) },
      // Nothing is left to do for a group of this id that was archived or deleted.
      { check: workKey('group', data.id), if: absent },
      ...changeExternalId(groupExternalIdKey, before, data),
      ...counters,
      ...activeParent(before, data, predefined),
    ],
    inTree: before?.parent_id !== data.parent_id,
    first: type !== 'CUSTOM',
  }
  return { addFault, before, data, change }
}

/** Whether an active group is put below another one, or becomes active there. */
const isNewOrMoved = (before: Group | undefined, { parent_id, status }: Group): boolean =>
  status === 'ACTIVE' && parent_id !== null && (before?.parent_id !== parent_id || before.status !== status)

/**
 * The check that the group above a custom group is active. Predefined groups are always active. The group of all users
 * needs no check: it is written before all custom groups.
 */
const activeParent = (before: Group | undefined, data: Group, predefined: Predefined): Action[] =>
  data.type === 'CUSTOM' && isNewOrMoved(before, data) && !isPredefined(predefined, data.parent_id)
    ? [requireActiveGroup(data.parent_id)]
    : []

const isPredefined = ({ ROOT, ALL_USERS }: Organisation['predefined'], id: string | null): boolean =>
  id === ROOT || id === ALL_USERS

/** Adds faults of a group's changes, by the rules of the endpoints. An archived group may be put below another one. */
function checkChange({ structure }: Draft, { addFault, before, data }: DraftedGroup): void {
  const { groups, organisation } = structure
  const parent = data.parent_id === null ? undefined : groups.get(data.parent_id)?.status
  const isOpen = parent !== 'ARCHIVED' || isPredefined(organisation.predefined, data.parent_id)
  if (isNewOrMoved(before, data) && !isOpen) addFault('parent_id', 'names a user group that is archived')
  if (!before || isDeepStrictEqual(data, before)) return
  if (before.status === data.status) checkRule(() => checkGroupAction('update', before), addFault, 'status')
  else checkRule(() => checkGroupAction(data.status === 'ACTIVE' ? 'restore' : 'archive', before), addFault, 'status')
}

/** The properties of a stored group that cannot change, by its type. */
const fixed = { ROOT: ['type'], ALL_USERS: ['type', 'parent_id'], CUSTOM: ['type'] } as const

/** Adds a fault if another group has the external id. */
function checkFree({ id, external_id }: Group, stored: Lookup, addFault: AddFault): void {
  const held = external_id === null ? undefined : stored(groupExternalIdKey(external_id))
  if (held && held.owner !== id) addFault('external_id', 'must not belong to another user group')
}

type Archiving = { memberRole: string; addFault: AddFault }

/** Closes the counter of an archived group, so that no user joins it, and opens the counter of a restored group. */
async function archiving(
  { context }: Draft,
  before: Group | undefined,
  { id, status }: Group,
  { memberRole, addFault }: Archiving,
): Promise<Action[]> {
  if ((before?.status ?? 'ACTIVE') === status) return []
  const members = groupMembers(id)
  if (status === 'ACTIVE') return members.open()
  const counts = before ? await members.read(context.store, 'strong') : []
  const closing = members.closeIfZero(counts, roleCount(memberRole))
  if (!closing) addFault('status', 'cannot become ARCHIVED by an import while the group has members')
  return closing ?? []
}

/** Adds a fault if the parent of a group does not exist, or the group is below itself. */
function checkParent(draft: Draft, { addFault, data: { id, parent_id } }: DraftedGroup): void {
  if (parent_id !== null) checkNamed(draft, 'user_groups', parent_id, addFault, 'parent_id')
  if (groupsAbove(draft.structure, id).has(id)) addFault('parent_id', 'puts the group below itself')
}

/** The ids of the groups above a group. A group that is below itself is one of them. */
function groupsAbove({ groups }: Pick<Structure, 'groups'>, id: string): ReadonlySet<string> {
  const above = new Set<string>()
  for (let one = groups.get(id)?.parent_id; one && !above.has(one); one = groups.get(one)?.parent_id) above.add(one)
  return above
}
