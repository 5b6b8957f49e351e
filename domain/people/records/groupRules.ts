import { type AppError, refuse } from '../../base/errors.ts'
import { type Actor, mayChange } from '../../request/actor.ts'
import type { Input, Organisation } from '../../request/context.ts'
import { changedOrSame, mergePatch } from '../../request/patch.ts'
import { afterCalls, workEntry } from '../../table/work.ts'
import type { Entry, Taker } from '../../table/workKinds.ts'
import { type Group, groupFields } from './group.ts'
import { type GroupTree, groupsFrom, pathTo, statusIn } from './groupTree.ts'

// What may become of a user group: pure. (Rules that give roles are in people/rules/.)

type Creation = Input<'createGroup'>['body']
type Patch = Input<'updateGroup'>['body']
type Predefined = Organisation['predefined']

/** The state that a group must be in for each action. */
const neededStatus = {
  update: 'ACTIVE',
  move: 'ACTIVE',
  archive: 'ACTIVE',
  restore: 'ARCHIVED',
  delete: 'ARCHIVED',
} as const
export type GroupAction = keyof typeof neededStatus

/** Actions that are refused for the groups that every organisation has. */
const notToPredefined: ReadonlySet<GroupAction> = new Set(['move', 'archive', 'delete'])

/** What an action depends on in the tree: the state of the parent, and whether a predefined group is below. */
type TreePlace = { parent?: Group['status']; isAbovePredefined?: boolean }

/** The place of a group in the tree. The only predefined group that can be below another one is ALL_USERS. */
export const treePlaceOf = (tree: GroupTree, { id, parent_id }: Group, { ALL_USERS }: Predefined): TreePlace => ({
  parent: statusIn(tree, parent_id),
  isAbovePredefined: pathTo(tree, ALL_USERS ?? null).includes(id),
})

/** Refuses an action that the type, state or place of the group does not allow. */
export function checkGroupAction(action: GroupAction, group: Group, place?: TreePlace): void {
  const refusal = refusalOf(action, group, place)
  if (refusal) throw refusal
}

function refusalOf(action: GroupAction, { type, status }: Group, place: TreePlace = {}): AppError | undefined {
  if (type !== 'CUSTOM' && notToPredefined.has(action))
    return refuse('USER_GROUP_IS_PREDEFINED', action === 'move' ? 'parent_id' : 'group_id')
  if (status !== neededStatus[action])
    return refuse(status === 'ARCHIVED' ? 'USER_GROUP_ARCHIVED' : 'USER_GROUP_NOT_ARCHIVED', 'group_id')
  return refusalAt(action, place)
}

function refusalAt(action: GroupAction, { parent, isAbovePredefined }: TreePlace): AppError | undefined {
  if (action === 'restore' && parent === 'ARCHIVED')
    return refuse('USER_GROUP_ARCHIVED', 'parent_id', 'The user group above is archived: restore that first')
  if (action === 'delete' && isAbovePredefined)
    return refuse('USER_GROUP_IS_PREDEFINED', 'group_id', 'A predefined user group is below this one')
  return undefined
}

/** Which actions a group allows this actor now. */
export function allowedGroupActions(group: Group, place: TreePlace, actor: Actor) {
  const isChangeable = mayChange(actor, 'USER_GROUPS')
  const allowed = (action: GroupAction) => ({ allowed: isChangeable && !refusalOf(action, group, place) })
  return {
    update: allowed('update'),
    move: allowed('move'),
    archive: allowed('archive'),
    restore: allowed('restore'),
    delete: allowed('delete'),
  }
}

/** Refuses a place below an archived group. */
export function checkParentActive(parent: Group | undefined): void {
  if (parent?.status === 'ARCHIVED')
    throw refuse('USER_GROUP_ARCHIVED', 'parent_id', 'The user group above is archived')
}

/** Refuses a place below the group itself. */
export function checkMove(tree: GroupTree, { id, parent_id }: Group): void {
  // Stryker disable next-line StringLiteral: no group has either id
  if (groupsFrom(tree, id).includes(parent_id ?? ''))
    throw refuse('PARENT_ID_UPDATE_WOULD_PRODUCE_A_CYCLE', 'parent_id')
}

/** The group that a creation asks for. */
export const groupFrom = (body: Creation, { id, now }: { id: string; now: string }): Group =>
  groupFields.create(body, { id, created_at: now, updated_at: now })

/**
 * The group after a merge patch; the same object if nothing changes. A parent of null means `root`, except for the root
 * itself.
 */
export function patchedGroup(
  group: Group,
  body: Patch,
  { now, root = null }: { now: string; root: string | null | undefined },
): Group {
  const next = mergePatch(group, body, groupFields.valueForNull)
  const parent_id = group.type === 'ROOT' ? next.parent_id : (next.parent_id ?? root)
  return changedOrSame(group, { ...next, parent_id }, { updated_at: now })
}

/** Work that remains after a group was archived or deleted. */
export type GroupEntry = Entry<'group'>

/**
 * The entry of such work; `token` distinguishes it from earlier work on the same group. After a deletion the entry
 * reserves the id until `kept`, even if the work is done sooner: calls that have read the group may still be running.
 */
export const groupEntry = (
  id: string,
  todo: GroupEntry['todo'],
  { now, token, taker }: { now: string; token: string; taker?: Taker | undefined },
): GroupEntry => workEntry('group', id, { todo, token, kept: afterCalls(now) }, now, { taker })
