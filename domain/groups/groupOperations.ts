import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/groups.ts'
import { refuse } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { checkLength } from '../request/localization.ts'
import { writeAndShow } from '../request/writeAndShow.ts'
import { groupCountKey, userCountKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import type { Action } from '../table/store.ts'
import { unlessImporting } from '../users/userWrites.ts'
import { existingGroup, type Group, readGroup, there } from './group.ts'
import { readNamedParent } from './groupReferences.ts'
import { checkGroupAction, checkMove, groupFrom, patchedGroup } from './groupRules.ts'
import { readTree, readTreeVersion, treeChanged, unlessChanged } from './groupTree.ts'
import { askedFor, type GroupView, viewGroup } from './groupView.ts'
import { groupChange, groupCreation } from './groupWrites.ts'

type GroupAnswer = Promise<Answer<GroupView>>

/** Creates a user group below another one. */
export function createGroup(context: Context, { body, query }: Input<typeof contracts.createGroup>): GroupAnswer {
  const id = body.id ?? context.newId()
  return retrying(async () => {
    const [{ parent, fault }, asked, counter] = await Promise.all([
      readNamedParent(context, body),
      askedFor(context, query.embed),
      context.store.get(groupCountKey(id, 0)),
    ])
    if (fault) throw fault
    if (parent?.status === 'ARCHIVED') throw parentArchived()
    if (parent?.id === id) throw refuse('DUPLICATE_ID', 'id')
    const group = groupFrom(body, { id, now: context.now })
    const view = await writeAndShow(context.store.write(groupCreation(group, counter)), () =>
      viewGroup(context, group, asked),
    )
    return { status: 201, body: view }
  })
}

/** Reads one user group. */
export async function getGroup(context: Context, { path, query }: Input<typeof contracts.getGroup>): GroupAnswer {
  const [group, asked] = await Promise.all([
    existingGroup(context.store, path.group_id),
    askedFor(context, query.embed),
  ])
  return { status: 200, body: await viewGroup(context, group, asked) }
}

/** Applies a merge patch; another parent takes the group and all below it along. */
export function updateGroup(context: Context, { path, body, query }: Input<typeof contracts.updateGroup>): GroupAnswer {
  return retrying(async () => {
    const reading = readGroup(context.store, path.group_id)
    // The version comes before the tree: a move between the two reads shows.
    const [group, version, { parent, fault }, { predefined }, asked] = await Promise.all([
      reading,
      body.parent_id === undefined ? 0 : readTreeVersion(context.store),
      readNamedParent(context, body, reading),
      context.organisation(),
      askedFor(context, query.embed),
    ])
    if (fault) throw fault
    const known = there(group)
    checkGroupAction('update', known)
    const target = targetOf(known, body.parent_id, predefined.ROOT)
    const after = patchedGroup(known, body, target, context.now)
    checkLength(after)
    const actions = [
      ...(await moving(context, { group: known, target, parent, version })),
      ...(after === known ? [] : groupChange(known, after)),
    ]
    const view = await writeAndShow(actions.length > 0 ? context.store.write(actions) : undefined, () =>
      viewGroup(context, after, asked),
    )
    return { status: 200, body: view }
  })
}

/** Where a group is to lie. Null puts it below the root; the root itself has no other place. */
function targetOf(group: Group, given: string | null | undefined, root: string | undefined): string | null {
  if (given === undefined || (given === null && group.type === 'ROOT')) return group.parent_id
  return given ?? root ?? null
}

type Move = { group: Group; target: string | null; parent: Group | undefined; version: number }

/** Moves follow each other, and imports: what has been found to be no cycle must still be none when it is written. */
async function moving(context: Context, { group, target, parent, version }: Move): Promise<Action[]> {
  if (target === group.parent_id) return []
  checkGroupAction('move', group)
  if (parent?.status === 'ARCHIVED') throw parentArchived()
  const tree = await readTree(context.store, 'now')
  await unlessChanged(context.store, version, () => checkMove(tree, group.id, target ?? ''))
  return [treeChanged(version), { check: userCountKey(context.shard), ...unlessImporting }]
}

const parentArchived = () => refuse('USER_GROUP_ARCHIVED', 'parent_id', 'The user group above is archived')
