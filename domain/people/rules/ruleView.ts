import { refuse } from '../../base/errors.ts'
import type { Context } from '../../request/context.ts'
import { type Group, groupReference, groups } from '../records/group.ts'
import { type Role, roles } from '../records/role.ts'
import { roleReference } from '../records/roleReference.ts'
import { overdueUsers } from '../records/userLists.ts'
import { type Rule, ruleFields } from './rule.ts'
import type { Parties } from './ruleInput.ts'
import { type Applying, readRulesWork, ruleState } from './rulesWork.ts'

/** Returns the rule that was found. Throws RULE_NOT_FOUND if it does not exist. */
function requireRule<T>(found: T | undefined): T {
  if (!found) throw refuse('RULE_NOT_FOUND', 'rule_id')
  return found
}

/** The group and the role of a rule; undefined while its group is being deleted, which also deletes the rule. */
export async function partiesOf(
  { user_group_id, role_id }: Rule,
  read: { group: (id: string) => Promise<Group | undefined>; role: (id: string) => Promise<Role | undefined> },
): Promise<Parties | undefined> {
  const [group, role] = await Promise.all([read.group(user_group_id), read.role(role_id)])
  return group && role && { group, role }
}

/** A rule with its group and role. Throws RULE_NOT_FOUND. */
export async function withParties(
  { store }: Pick<Context, 'store'>,
  found: Rule | undefined,
): Promise<[Rule, Parties]> {
  const rule = requireRule(found)
  const parties = await partiesOf(rule, {
    group: (id) => groups.read(store, id),
    role: (id) => roles.read(store, id),
  })
  return [rule, requireRule(parties)]
}

/** What all views of a call need: how far changes are applied, and the users past their deadline, who must not be shown. */
type Scope = { applying: Applying | undefined; gone: ReadonlySet<string> }

/** The users past their deadline, if one of these rules excepts any user. */
export const readGone = async (context: Context, shown: readonly Rule[]): Promise<ReadonlySet<string>> =>
  shown.some(({ except_user_ids }) => except_user_ids.length > 0) ? overdueUsers(context) : new Set()

/** A rule in answers. */
export async function viewRule(context: Context, rule: Rule, { group, role }: Parties, { applying, gone }: Scope) {
  const [userGroup, givenRole] = await Promise.all([groupReference(context, group), roleReference(context, role)])
  return {
    ...ruleFields.shown(rule),
    user_group: userGroup,
    role: givenRole,
    except_user_ids: rule.except_user_ids.filter((id) => !gone.has(id)),
    ...ruleState(rule, applying),
  }
}

/** A rule in answers, with what one view needs. */
export async function showRule(context: Context, rule: Rule, parties: Parties) {
  const [applying, gone] = await Promise.all([readRulesWork(context.store), readGone(context, [rule])])
  return viewRule(context, rule, parties, { applying, gone })
}
