import type * as contracts from '../../schemas/roles.ts'
import type { Operation } from '../request/context.ts'
import { type Role, requireRole, roles } from './role.ts'

/** Reads a role. */
export const getRole: Operation<typeof contracts.getRole, Role> = async ({ store }, { path }) => {
  return { status: 200, body: requireRole(await roles.read(store, path.role_id)) }
}
