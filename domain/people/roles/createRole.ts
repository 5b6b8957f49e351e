import type { Context, Input } from '../../request/context.ts'
import { wrongTexts } from '../../request/localizedTexts.ts'
import { reserveIdempotencyKey } from '../../request/repetition.ts'
import { createRecord } from '../../table/changes.ts'
import { takeExternalId } from '../../table/externalIds.ts'
import { roleExternalIdKey } from '../../table/keys.ts'
import { roleUses } from '../records/heldRoles.ts'
import { roleFields, roles } from '../records/role.ts'

/** Creates a role. The id of a deleted role may be used again. */
export async function createRole(context: Context, { body }: Input<'createRole'>) {
  const { now } = context
  const role = roleFields.create(body, { id: body.id ?? context.newId(), created_at: now, updated_at: now })
  const uses = roleUses(role.id)
  const [fault, firstShard] = await Promise.all([wrongTexts(context, body), context.store.get(uses.keyOf(0))])
  if (fault) throw fault
  await context.store.write([
    ...reserveIdempotencyKey(context, role.id),
    createRecord(roles, role, { code: 'DUPLICATE_ID', property: 'id' }),
    ...takeExternalId(roleExternalIdKey, role),
    ...uses.openForNew(firstShard),
  ])
  return { ...roleFields.answer(role), status: 201 }
}
