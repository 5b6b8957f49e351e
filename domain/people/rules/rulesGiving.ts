import type { Store } from '../../table/store.ts'
import type { GroupAssignmentId } from '../records/groupAssignment.ts'
import type { UserRecord } from '../records/user.ts'
import { factsOf, matcherOf } from './matching.ts'
import { type Rule, readRules } from './rule.ts'
import { grantOf } from './ruleSet.ts'

/** The enabled rules that a user matches, by the roles in groups that they give, as they are now. */
export async function rulesByGrant(
  store: Pick<Store, 'query'>,
  user: UserRecord,
): Promise<ReadonlyMap<string, readonly Rule[]>> {
  const facts = factsOf(user)
  const { rules } = await readRules(store)
  const giving = rules.filter((rule) => rule.enabled && matcherOf(rule)(facts))
  return Map.groupBy(giving, ({ user_group_id, role_id }) => grantOf(user_group_id, role_id))
}

/** The ids of the enabled rules that give a user a role in a group, as they are now. */
export async function rulesGiving(
  store: Pick<Store, 'query'>,
  { group_id, role_id }: GroupAssignmentId,
  user: UserRecord,
): Promise<string[]> {
  const giving = await rulesByGrant(store, user)
  return (giving.get(grantOf(group_id, role_id)) ?? []).map(({ id }) => id)
}
