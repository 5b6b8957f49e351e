import { refuse, requireNone } from '../../base/errors.ts'
import { userOf } from '../../request/actor.ts'
import type { Context, Input } from '../../request/context.ts'
import { showWritten } from '../../request/effect.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { applyRulesNow } from './applyRules.ts'
import { requireRule } from './groupAndRole.ts'
import { readRules, ruleFields } from './rule.ts'
import { namedByPatch, readNamed } from './ruleInput.ts'
import { checkGiving, checkGroupActive, isDisabling, patchedRule } from './ruleRules.ts'
import { showRule } from './ruleView.ts'
import { ruleChange, ruleChanging } from './ruleWrites.ts'

/** Applies a merge patch to a rule, and the changed rule to all users, as far as the call has time. */
export async function updateRule(context: Context, { path, body }: Input<'updateRule'>) {
  const { store, now, actorId } = context
  const stored = await readRules(store)
  const found = stored.rules.find(({ id }) => id === path.rule_id)
  const [{ faults, editions }, actor] = await Promise.all([
    readNamed(context, namedByPatch(body, found)),
    context.actor(),
  ])
  requireNone(faults)
  const [before, groupAndRole] = await requireRule(context, found)
  const after = changeIfMatch(
    context,
    before,
    () => {
      if (before.deleting) throw refuse('RULE_IS_DELETING', 'rule_id')
      return patchedRule(before, body, { now, editor: userOf(actorId) })
    },
    ruleFields.own(before),
  )
  if (after !== before) {
    if (!isDisabling(before, after)) checkGiving(actor, groupAndRole.role)
    if (after.enabled && !before.enabled) checkGroupActive(groupAndRole.group)
    const actions = ruleChange({ before, after }, await ruleChanging(context, stored, editions))
    await store.write(actions)
    await applyRulesNow(context, actions)
  }
  const show = () => showRule(context, after, groupAndRole)
  const view = await (after === before ? show() : showWritten(show))
  return { status: 200, body: view, own: ruleFields.own(after) }
}
