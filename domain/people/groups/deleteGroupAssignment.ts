import { refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { requireExpected } from '../../request/etags.ts'
import { groupAssignments, ownOfGroupAssignment } from '../records/groupAssignment.ts'
import { rulesFor } from '../rules/ruleSet.ts'
import { withdraw } from '../rules/withdraw.ts'
import { existingGroupAssignment, viewGroupAssignment } from './groupAssignmentView.ts'

/**
 * Takes away a role in a group. Assignments of the primary group or of a rule are refused. Where a rule gives the role, too,
 * the user keeps it by that.
 */
export async function deleteGroupAssignment(context: Context, { path, query }: Input<'deleteGroupAssignment'>) {
  const { store, shard } = context
  const [found, actor, { predefined }] = await Promise.all([
    existingGroupAssignment(context, path),
    context.actor(),
    context.organisation(),
  ])
  const own = ownOfGroupAssignment(path, found.source)
  requireExpected(context, own)
  if (found.source !== 'MANUAL') throw refuse('DERIVED_ASSIGNMENT_DELETION_FORBIDDEN')
  const counting = { predefined, shard }
  const rules = await rulesFor(context)
  await store.write(
    rules ? withdraw(rules, path, found, counting) : groupAssignments.remove(path, found.item, counting),
  )
  return { status: 200, body: viewGroupAssignment(path, { ...found, embed: query.embed, actor }), own }
}
