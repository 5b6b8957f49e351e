import { isDeepStrictEqual } from 'node:util'
import type { Input } from '../../schemas/contract.ts'
import type { createGroup, updateGroup } from '../../schemas/groups.ts'
import { type AppError, refuse } from '../base/errors.ts'
import type { Group } from './group.ts'
import { type GroupTree, groupsFrom } from './groupTree.ts'

type Creation = Input<typeof createGroup>['body']
type Patch = Input<typeof updateGroup>['body']

export type GroupAction = 'update' | 'move' | 'archive' | 'restore' | 'delete'

/** Which state a group must be in for what may be done with it. */
const needed: Record<GroupAction, Group['status']> = {
  update: 'ACTIVE',
  move: 'ACTIVE',
  archive: 'ACTIVE',
  restore: 'ARCHIVED',
  delete: 'ARCHIVED',
}
/** What nobody does to the groups that every organisation has. */
const notToPredefined: ReadonlySet<GroupAction> = new Set(['move', 'archive', 'delete'])

/** Refuses an action that the group's type, its state, or that of the group above it rules out. */
export function checkGroupAction(action: GroupAction, group: Group, parent?: Group['status']): void {
  const refusal = refusalOf(action, group, parent)
  if (refusal) throw refusal
}

function refusalOf(action: GroupAction, { type, status }: Group, parent?: Group['status']): AppError | undefined {
  if (type !== 'CUSTOM' && notToPredefined.has(action))
    return refuse('USER_GROUP_IS_PREDEFINED', action === 'move' ? 'parent_id' : 'group_id')
  if (status !== needed[action])
    return refuse(status === 'ARCHIVED' ? 'USER_GROUP_ARCHIVED' : 'USER_GROUP_NOT_ARCHIVED', 'group_id')
  if (action === 'restore' && parent === 'ARCHIVED')
    return refuse('USER_GROUP_ARCHIVED', 'parent_id', 'The user group above is archived: restore that first')
  return undefined
}

/** Which actions a group allows now. */
export function allowedGroupActions(group: Group, parent: Group['status'] | undefined) {
  const allowed = (action: GroupAction) => ({ allowed: refusalOf(action, group, parent) === undefined })
  return {
    update: allowed('update'),
    move: allowed('move'),
    archive: allowed('archive'),
    restore: allowed('restore'),
    delete: allowed('delete'),
  }
}

/** Refuses a place below the group itself. */
export function checkMove(tree: Pick<GroupTree, 'childrenOf'>, group: string, parent: string): void {
  if (groupsFrom(tree, group).includes(parent)) throw refuse('PARENT_ID_UPDATE_WOULD_PRODUCE_A_CYCLE', 'parent_id')
}

/** The record that a creation asks for. */
export const groupFrom = (body: Creation, { id, now }: { id: string; now: string }): Group => ({
  id,
  external_id: body.external_id ?? null,
  title: body.title,
  description: body.description ?? [],
  type: 'CUSTOM',
  status: 'ACTIVE',
  parent_id: body.parent_id,
  created_at: now,
  updated_at: now,
})

/** The group after a merge patch, which has put it below `parent`; the very same object where nothing changes. */
export function patchedGroup(group: Group, body: Patch, parent: string | null, now: string): Group {
  const next: Group = {
    ...group,
    ...(body.external_id === undefined ? {} : { external_id: body.external_id }),
    ...(body.title === undefined ? {} : { title: body.title }),
    ...(body.description === undefined ? {} : { description: body.description ?? [] }),
    parent_id: parent,
  }
  return isDeepStrictEqual(next, group) ? group : { ...next, updated_at: now }
}
