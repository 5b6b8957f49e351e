import type { Context, Input } from '../../request/context.ts'
import { writeAndShow } from '../../request/effect.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { checkLength } from '../../request/localizedTexts.ts'
import { groupFields, groups, requireGroup } from '../records/group.ts'
import { checkGroupAction, checkMove, checkParentActive, patchedGroup } from '../records/groupRules.ts'
import { groupChange, readTree, readTreeVersion, treeChanged, unlessChanged } from '../records/groupTree.ts'
import { readViewScope, viewGroup } from './groupView.ts'
import { readNamedParent } from './namedParent.ts'

/** Applies a merge patch. With another parent, the group moves with all groups below it. */
export async function updateGroup(context: Context, { path, body, query }: Input<'updateGroup'>) {
  const { store } = context
  const reading = groups.read(store, path.group_id)
  // The version is read before the tree, so a move between the two reads is noticed.
  const [group, version, { parent, fault }, { predefined }, scope] = await Promise.all([
    reading,
    body.parent_id === undefined ? 0 : readTreeVersion(store),
    readNamedParent(context, body, reading),
    context.organisation(),
    readViewScope(context, query.embed),
  ])
  if (fault) throw fault
  const before = requireGroup(group)
  const after = changeIfMatch(
    context,
    before,
    () => {
      checkGroupAction('update', before)
      return patchedGroup(before, body, { now: context.now, root: predefined.ROOT })
    },
    groupFields.own(before),
  )
  checkLength(after)
  const actions = after === before ? [] : groupChange(before, after)
  if (after.parent_id !== before.parent_id) {
    checkGroupAction('move', before)
    checkParentActive(parent)
    const tree = await readTree(store, 'strong')
    await unlessChanged(store, version, () => checkMove(tree, after))
    // Two moves at the same time could make a cycle that neither sees, so the tree must not have changed.
    actions.unshift(treeChanged(version))
  }
  const view = await writeAndShow(actions.length > 0 ? store.write(actions) : undefined, () =>
    viewGroup(context, after, scope),
  )
  return { status: 200, body: view, own: groupFields.own(after) }
}
