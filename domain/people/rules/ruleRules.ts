import { refuse, refuseFault } from '../../base/errors.ts'
import { asRecord } from '../../base/values.ts'
import type { Actor } from '../../request/actor.ts'
import type { Input } from '../../request/context.ts'
import { changedOrSame, mergePatch } from '../../request/patch.ts'
import { isSameRecord } from '../../table/records.ts'
import type { Group } from '../records/group.ts'
import type { Role } from '../records/role.ts'
import { mayAssign } from '../records/roleRules.ts'
import type { RuleCondition } from './matching.ts'
import { type Rule, ruleFields } from './rule.ts'

// What a rule may be, and who may give its role: pure.

type Creation = Pick<
  Input<'createRule'>['body'],
  'title' | 'user_group_id' | 'role_id' | 'match' | 'conditions' | 'except_user_ids' | 'enabled'
>
type Patch = Input<'updateRule'>['body']
/** The editor is the user on whose behalf the rule gives its role; null for an import. */
type Edit = { now: string; editor: string | null }

/** Conditions as they are stored: `values` may be missing in a request. */
export const conditionsFrom = (conditions: Creation['conditions']): RuleCondition[] =>
  conditions.map(({ field, operator, values }) => ({ field, operator, values: [...(values ?? [])] }))

/** The rule that a creation asks for. */
export const ruleFrom = (body: Creation, { id, now, editor }: Edit & { id: string }): Rule =>
  ruleFields.create(
    { ...body, conditions: conditionsFrom(body.conditions), except_user_ids: [...new Set(body.except_user_ids)] },
    { id, created_at: now, updated_at: now, updated_by: editor },
  )

/** The rule after a merge patch; the same object if nothing changes. Throws for another group or role. */
export function patchedRule(rule: Rule, body: Patch, { now, editor }: Edit): Rule {
  for (const name of ['user_group_id', 'role_id'] as const) requireSame(name, body[name], rule[name])
  requireSame('user_group', asRecord(body.user_group)?.['id'], rule.user_group_id)
  requireSame('role', asRecord(body.role)?.['id'], rule.role_id)
  const { conditions, except_user_ids } = body
  const next = mergePatch(
    rule,
    {
      ...body,
      ...(conditions ? { conditions: conditionsFrom(conditions) } : {}),
      ...(except_user_ids ? { except_user_ids: [...new Set(except_user_ids)] } : {}),
    },
    ruleFields.valueForNull,
  )
  return changedOrSame(rule, next, { updated_at: now, updated_by: editor, version: rule.version + 1 })
}

function requireSame(property: string, sent: unknown, stored: string): void {
  if (sent !== undefined && sent !== stored)
    throw refuseFault('VALIDATION_ERROR', property, 'must stay as it is: create another rule')
}

/** Whether a change only disables a rule. A disabled rule gives no role, so its editor needs no right to give it. */
export const isDisabling = (before: Rule, after: Rule): boolean =>
  isSameRecord({ ...after, enabled: true }, { ...before, ...stampsOf(after) })

const stampsOf = ({ updated_at, updated_by, version }: Rule) => ({ updated_at, updated_by, version })

/** Refuses a rule if its editor may not give its role. */
export function checkGiving(actor: Actor, role: Role): void {
  if (!mayAssign(actor, role, 'USER_GROUPS')) throw refuse('ROLE_NOT_ASSIGNABLE', 'role_id')
}

/** Refuses to create or enable a rule in an archived group. */
export function checkGroupActive({ status }: Group): void {
  if (status === 'ARCHIVED') throw refuse('USER_GROUP_ARCHIVED', 'user_group_id')
}
