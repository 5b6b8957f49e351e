import { userOf } from '../../request/actor.ts'
import type { Context, Input } from '../../request/context.ts'
import { showWritten } from '../../request/effect.ts'
import { reserveIdempotencyKey } from '../../request/repetition.ts'
import { applyRulesNow } from './applyRules.ts'
import { readRules, ruleFields } from './rule.ts'
import { readNamed, requireGroupAndRole } from './ruleInput.ts'
import { checkGiving, checkGroupActive, ruleFrom } from './ruleRules.ts'
import { showRule } from './ruleView.ts'
import { ruleChange, ruleChanging } from './ruleWrites.ts'

/** Creates a rule and applies it to all users, as far as the call has time. The rest is noted work. */
export async function createRule(context: Context, { body }: Input<'createRule'>) {
  const { store, now, actorId } = context
  const [named, stored, actor] = await Promise.all([readNamed(context, body), readRules(store), context.actor()])
  const groupAndRole = requireGroupAndRole(named)
  checkGiving(actor, groupAndRole.role)
  checkGroupActive(groupAndRole.group)
  const rule = ruleFrom(body, { id: body.id ?? context.newId(), now, editor: userOf(actorId) })
  const changing = await ruleChanging(context, stored, named.editions)
  const actions = [...reserveIdempotencyKey(context, rule.id), ...ruleChange({ after: rule }, changing)]
  await store.write(actions)
  await applyRulesNow(context, actions)
  const view = await showWritten(() => showRule(context, rule, groupAndRole))
  return { status: 201, body: view, own: ruleFields.own(rule) }
}
