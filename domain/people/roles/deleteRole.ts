import { refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { requireExpected } from '../../request/etags.ts'
import { removeRecord } from '../../table/changes.ts'
import { giveUpExternalId } from '../../table/externalIds.ts'
import { isAt } from '../../table/items.ts'
import { ofRole, roleExternalIdKey } from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { roleUses } from '../records/heldRoles.ts'
import { requireRole, roleFields, roles } from '../records/role.ts'
import { notModifiable } from '../records/roleRules.ts'

/** Deletes a role that is not in use: see roleUses. */
export async function deleteRole(context: Context, { path }: Input<'deleteRole'>) {
  const { store } = context
  const items = await all(store, ofRole(path.role_id))
  const role = requireRole(roles.of(items.find(isAt(roles.key(path.role_id)))))
  requireExpected(context, roleFields.own(role))
  if (role.type === 'PREDEFINED') throw notModifiable()
  const closing = roleUses(role.id).closeIfZero(items, 'count')
  if (!closing) throw refuse('ROLE_IN_USE', 'role_id')
  await store.write([removeRecord(roles, role), ...closing, ...giveUpExternalId(roleExternalIdKey, role)])
  return { status: 204, body: undefined }
}
