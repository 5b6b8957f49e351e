import type { Context, Input } from '../../request/context.ts'
import { requireRole, roleFields, roles } from '../records/role.ts'

/** Reads a role. */
export async function getRole({ store }: Context, { path }: Input<'getRole'>) {
  return roleFields.answer(requireRole(await roles.read(store, path.role_id)))
}
