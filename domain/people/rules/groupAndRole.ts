import { refuse } from '../../base/errors.ts'
import type { Context } from '../../request/context.ts'
import { type Group, groups } from '../records/group.ts'
import { type Role, roles } from '../records/role.ts'
import type { Rule } from './rule.ts'

// The group and the role of a stored rule.

export type GroupAndRole = { group: Group; role: Role }

/** Returns the rule that was found. Throws RULE_NOT_FOUND if it does not exist. */
function orNotFound<T>(found: T | undefined): T {
  if (!found) throw refuse('RULE_NOT_FOUND', 'rule_id')
  return found
}

/** The group and the role of a rule; undefined while its group is being deleted, which also deletes the rule. */
export async function readGroupAndRole(
  { user_group_id, role_id }: Rule,
  read: { group: (id: string) => Promise<Group | undefined>; role: (id: string) => Promise<Role | undefined> },
): Promise<GroupAndRole | undefined> {
  const [group, role] = await Promise.all([read.group(user_group_id), read.role(role_id)])
  return group && role && { group, role }
}

/** A rule with its group and role. Throws RULE_NOT_FOUND. */
export async function requireRule(
  { store }: Pick<Context, 'store'>,
  found: Rule | undefined,
): Promise<[Rule, GroupAndRole]> {
  const rule = orNotFound(found)
  const groupAndRole = await readGroupAndRole(rule, {
    group: (id) => groups.read(store, id),
    role: (id) => roles.read(store, id),
  })
  return [rule, orNotFound(groupAndRole)]
}
