import type { Context, Input } from '../../request/context.ts'
import { requireRole, roles } from '../records/role.ts'

/** Reads a role. */
export async function getRole({ store }: Context, { path }: Input<'getRole'>) {
  const role = requireRole(await roles.read(store, path.role_id))
  return { status: 200, body: role, own: role }
}
