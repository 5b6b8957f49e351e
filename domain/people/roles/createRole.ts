import type { Context, Input } from '../../request/context.ts'
import { mergePatch } from '../../request/input.ts'
import { wrongTexts } from '../../request/localizedTexts.ts'
import { reserveIdempotencyKey } from '../../request/repetition.ts'
import { roleUses } from '../records/heldRoles.ts'
import { clearedRole, newRole, roleExternalIds, roles } from '../records/role.ts'

/** Creates a role. The id of a deleted role may be used again. */
export async function createRole(context: Context, { body }: Input<'createRole'>) {
  const role = mergePatch(newRole(body.id ?? context.newId(), context.now), body, clearedRole)
  const uses = roleUses(role.id)
  const [fault, firstShard] = await Promise.all([wrongTexts(context, body), context.store.get(uses.keyOf(0))])
  if (fault) throw fault
  await context.store.write([
    ...reserveIdempotencyKey(context, role.id),
    roles.create(role, { code: 'DUPLICATE_ID', property: 'id' }),
    ...roleExternalIds.take(role),
    ...uses.openForNew(firstShard),
  ])
  return { status: 201, body: role, own: role }
}
