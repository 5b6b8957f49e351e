import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/roles.ts'
import type { Answer, Context } from '../request/context.ts'
import { type Role, requireRole, roles } from './role.ts'

/** Reads a role. */
export async function getRole({ store }: Context, { path }: Input<typeof contracts.getRole>): Promise<Answer<Role>> {
  return { status: 200, body: requireRole(await roles.read(store, path.role_id)) }
}
