import type * as contracts from '../../schemas/groupAssignments.ts'
import type { Operation } from '../request/context.ts'
import { type AssignableRoles, assignableRoles } from '../roles/assignableRoles.ts'
import { existingGroup } from './group.ts'

/** Lists the roles that the actor may hand out in a group. */
export const listAssignableGroupRoles: Operation<typeof contracts.listAssignableGroupRoles, AssignableRoles> = async (
  context,
  { path, query },
) => {
  const [body] = await Promise.all([
    assignableRoles(context, ['listAssignableGroupRoles', path.group_id], 'USER_GROUPS', query),
    existingGroup(context.store, path.group_id),
  ])
  return { status: 200, body }
}
