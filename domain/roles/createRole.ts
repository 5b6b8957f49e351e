import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/roles.ts'
import type { Operation } from '../request/context.ts'
import { wrongTexts } from '../request/localization.ts'
import { retrying } from '../table/retry.ts'
import { type Role, roleExternalIds, roles, roleUses } from './role.ts'

/** Creates a role. The id of a deleted role may be used again. */
export const createRole: Operation<typeof contracts.createRole, Role> = (context, { body }) => {
  const role = roleFrom(body, { id: body.id ?? context.newId(), now: context.now })
  const uses = roleUses(role.id)
  return retrying(async () => {
    const [fault, firstShard] = await Promise.all([wrongTexts(context, body), context.store.get(uses.keyOf(0))])
    if (fault) throw fault
    await context.store.write([
      roles.create(role, { code: 'DUPLICATE_ID', property: 'id' }),
      ...roleExternalIds.take(role),
      ...uses.openForNew(firstShard),
    ])
    return { status: 201, body: role }
  })
}

/** The role that a creation asks for. */
const roleFrom = (
  body: Input<typeof contracts.createRole>['body'],
  { id, now }: { id: string; now: string },
): Role => ({
  id,
  external_id: body.external_id ?? null,
  title: body.title,
  description: body.description ?? [],
  scope: body.scope,
  type: 'CUSTOM',
  predefined_role_type: null,
  permissions: body.permissions ?? [],
  assignable: body.assignable ?? true,
  created_at: now,
  updated_at: now,
})
