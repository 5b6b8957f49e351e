import type { Context, Input } from '../../request/context.ts'
import { existingGroup } from '../records/group.ts'
import { assignableRoles } from '../roles/assignableRoles.ts'

/** Lists the roles that the actor may give in a group. */
export async function listAssignableGroupRoles(context: Context, { path, query }: Input<'listAssignableGroupRoles'>) {
  const [body] = await Promise.all([
    assignableRoles(context, ['listAssignableGroupRoles', path.group_id], 'USER_GROUPS', query),
    existingGroup(context.store, path.group_id),
  ])
  return { status: 200, body }
}
