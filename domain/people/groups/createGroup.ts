import { refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { writeAndShow } from '../../request/effect.ts'
import { reserveIdempotencyKey } from '../../request/repetition.ts'
import { createRecord } from '../../table/changes.ts'
import { takeExternalId } from '../../table/externalIds.ts'
import { groupExternalIdKey } from '../../table/keys.ts'
import { requireNoWork } from '../../table/work.ts'
import { groupFields, groupMembers, groups, requireActiveGroup } from '../records/group.ts'
import { checkParentActive, groupFrom } from '../records/groupRules.ts'
import { countTreeChange, treeRow } from '../records/groupTree.ts'
import { readViewScope, viewGroup } from './groupView.ts'
import { readNamedParent } from './namedParent.ts'

const idTaken = { code: 'DUPLICATE_ID', property: 'id' } as const

/** Creates a user group below another one. */
export async function createGroup(context: Context, { body, query }: Input<'createGroup'>) {
  const group = groupFrom(body, { id: body.id ?? context.newId(), now: context.now })
  const members = groupMembers(group.id)
  const [{ parent, fault }, scope, firstShard] = await Promise.all([
    readNamedParent(context, body),
    readViewScope(context, query.embed),
    context.store.get(members.keyOf(0)),
  ])
  if (fault) throw fault
  checkParentActive(parent)
  if (parent?.id === group.id) throw refuse('DUPLICATE_ID', 'id')
  const actions = [
    ...reserveIdempotencyKey(context, group.id),
    createRecord(groups, group, idTaken),
    // The id of a deleted group is free once all of the group is removed.
    requireNoWork('group', group.id, idTaken),
    ...takeExternalId(groupExternalIdKey, group),
    requireActiveGroup(group.parent_id),
    { put: treeRow(group) },
    ...members.openForNew(firstShard),
    countTreeChange,
  ]
  const view = await writeAndShow(context.store.write(actions), () => viewGroup(context, group, scope))
  return { status: 201, body: view, own: groupFields.own(group) }
}
