import type { Context, Input } from '../../request/context.ts'
import { answerRole, requireRole, roles } from '../records/role.ts'

/** Reads a role. */
export async function getRole({ store }: Context, { path }: Input<'getRole'>) {
  return answerRole(requireRole(await roles.read(store, path.role_id)))
}
