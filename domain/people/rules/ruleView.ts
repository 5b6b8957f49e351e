import type { Context } from '../../request/context.ts'
import { overdueUsers } from '../records/deadlineItem.ts'
import { groupReference } from '../records/group.ts'
import { roleReference } from '../records/roleReference.ts'
import type { GroupAndRole } from './groupAndRole.ts'
import { type Rule, ruleFields } from './rule.ts'
import { type Applying, readRulesWork, ruleState } from './rulesWork.ts'

/** What all views of a call need: how far changes are applied, and the users past their deadline, who must not be shown. */
type Scope = { applying: Applying | undefined; gone: ReadonlySet<string> }

/** The users past their deadline, if one of these rules excepts any user. */
export const readGone = async (context: Context, shown: readonly Rule[]): Promise<ReadonlySet<string>> =>
  shown.some(({ except_user_ids }) => except_user_ids.length > 0) ? overdueUsers(context) : new Set()

/** A rule in answers. */
export async function viewRule(context: Context, rule: Rule, { group, role }: GroupAndRole, { applying, gone }: Scope) {
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
export async function showRule(context: Context, rule: Rule, groupAndRole: GroupAndRole) {
  const [applying, gone] = await Promise.all([readRulesWork(context.store), readGone(context, [rule])])
  return viewRule(context, rule, groupAndRole, { applying, gone })
}
