import { refuseFault } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { checkLength, wrongTexts } from '../../request/localizedTexts.ts'
import { changedOrSame, mergePatch } from '../../request/patch.ts'
import { replaceRecord } from '../../table/changes.ts'
import { changeExternalId } from '../../table/externalIds.ts'
import { roleExternalIdKey } from '../../table/keys.ts'
import { type Role, requireRole, roleFields, roles } from '../records/role.ts'
import { isModifiable, notModifiable } from '../records/roleRules.ts'

/** Applies a merge patch to a role. */
export async function updateRole(context: Context, { path, body }: Input<'updateRole'>) {
  const reading = roles.read(context.store, path.role_id)
  const [fault, role] = await Promise.all([wrongTexts(context, body, reading), reading])
  if (fault) throw fault
  const before = requireRole(role)
  const after = changeIfMatch(context, before, () => patchedRole(before, body, context.now), roleFields.own(before))
  if (after === before) return roleFields.answer(before)
  checkLength(after)
  await context.store.write([
    replaceRecord(roles, before, after),
    ...changeExternalId(roleExternalIdKey, before, after),
  ])
  return roleFields.answer(after)
}

/** The role after a merge patch; the same object if nothing changes. In a predefined role only the texts may change. */
function patchedRole(role: Role, body: Input<'updateRole'>['body'], now: string): Role {
  const next = mergePatch(role, body, roleFields.valueForNull)
  if (!isModifiable(role, next)) throw notModifiable()
  // Assignments of the role belong to groups or to channels, by its scope.
  if (next.scope !== role.scope) throw refuseFault('VALIDATION_ERROR', 'scope', 'must stay as it is')
  return changedOrSame(role, next, { updated_at: now })
}
