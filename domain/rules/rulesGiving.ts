import type { GroupAssignmentId } from '../groups/groupAssignment.ts'
import type { Store } from '../table/store.ts'
import type { UserRecord } from '../users/user.ts'
import { factsOf, matcherOf } from './matching.ts'
import { readRules } from './rule.ts'

/** The ids of the enabled rules that give a user a role in a group, as they are now. */
export async function rulesGiving(
  store: Pick<Store, 'query'>,
  { group_id, role_id }: GroupAssignmentId,
  user: UserRecord,
): Promise<string[]> {
  const facts = factsOf(user)
  const { rules } = await readRules(store)
  return rules
    .filter((rule) => rule.enabled && rule.user_group_id === group_id && rule.role_id === role_id)
    .filter((rule) => matcherOf(rule)(facts))
    .map(({ id }) => id)
}
