import { AppError, refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { writeAndShow } from '../../request/effect.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { readWork } from '../../table/readWork.ts'
import type { Action } from '../../table/store.ts'
import { requireNoWork } from '../../table/work.ts'
import { existingGroup, type Group, groupFields, groupMembers, requireActiveGroup } from '../records/group.ts'
import { checkGroupAction } from '../records/groupRules.ts'
import { groupChange, readTree, statusIn } from '../records/groupTree.ts'
import { applyRulesNow } from '../rules/applyRules.ts'
import { readRules } from '../rules/rule.ts'
import { rulesNote } from '../rules/rulesWork.ts'
import { countRuleEdition } from '../rules/ruleWrites.ts'
import { viewGroup, viewScope } from './groupView.ts'
import { finishArchiving, groupWorkOf } from './moveToAllUsers.ts'

/**
 * Puts an archived group back into service, once no user has it as primary group any more. Its rules are applied to all
 * users.
 */
export async function restoreGroup(context: Context, { path, query }: Input<'restoreGroup'>) {
  const { store } = context
  const [before, tree, entry] = await Promise.all([
    existingGroup(store, path.group_id),
    readTree(store, 'strong'),
    readWork(store, 'group', path.group_id),
  ])
  if (entry?.todo === 'delete') throw refuse('USER_GROUP_NOT_FOUND', 'group_id')
  const after = changeIfMatch(
    context,
    before,
    (): Group => {
      checkGroupAction('restore', before, { parent: statusIn(tree, before.parent_id) })
      return { ...before, status: 'ACTIVE', updated_at: context.now }
    },
    groupFields.own(before),
  )
  if (entry && !(await finishArchiving(await groupWorkOf(context), entry)))
    throw new AppError('SERVICE_UNAVAILABLE', {
      detail: 'Members are still leaving the group: try again in a minute',
      cause: 'WorkLeft',
    })
  const actions = [
    ...groupChange(before, after),
    ...(after.parent_id === null ? [] : [requireActiveGroup(after.parent_id)]),
    ...groupMembers(after.id).open(),
    requireNoWork('group', after.id),
    ...(await rulesNoteForGroup(context, after.id)),
  ]
  const scope = viewScope(context, query.embed, tree)
  const view = await writeAndShow(store.write(actions), () => viewGroup(context, after, scope))
  await applyRulesNow(context, actions)
  return { status: 200, body: view, own: groupFields.own(after) }
}

/** The rules of an archived group did nothing. No rule can be added to it meanwhile. */
async function rulesNoteForGroup(context: Context, group: string): Promise<Action[]> {
  const { has_rules } = await context.organisationNow()
  if (!has_rules) return []
  const { now, requestId, store } = context
  const stored = await readRules(store)
  const rules = stored.rules.filter(({ user_group_id }) => user_group_id === group)
  return rules.length > 0 ? [countRuleEdition, rulesNote(rules, { now, stored, requestId })] : []
}
