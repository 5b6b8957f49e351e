import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/roles.ts'
import type { Answer, Context } from '../request/context.ts'
import { checkLength, wrongTexts } from '../request/localization.ts'
import { retrying } from '../table/retry.ts'
import { type Role, roleExternalIds, roles } from './role.ts'
import { patchedRole, requireRole } from './roleRules.ts'

/** Applies a merge patch to a role. */
export function updateRole(
  context: Context,
  { path, body }: Input<typeof contracts.updateRole>,
): Promise<Answer<Role>> {
  return retrying(async () => {
    const reading = roles.read(context.store, path.role_id)
    const [fault, role] = await Promise.all([wrongTexts(context, body, reading), reading])
    if (fault) throw fault
    const before = requireRole(role)
    const after = patchedRole(before, body, context.now)
    if (after === before) return { status: 200, body: before }
    checkLength(after)
    await context.store.write([roles.replace(before, after), ...roleExternalIds.change(before, after)])
    return { status: 200, body: after }
  })
}
