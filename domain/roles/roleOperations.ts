import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/roles.ts'
import { refuse } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { checkLength, wrongTexts } from '../request/localization.ts'
import { retrying } from '../request/retrying.ts'
import { absent, is } from '../table/expressions.ts'
import { givingUpExternalId, takingExternalId } from '../table/externalIds.ts'
import { roleKey } from '../table/keys.ts'
import { roleExternalIdKey, roleUseKey, wholeRole } from '../table/roleKeys.ts'
import { all, replacing } from '../table/store.ts'
import { type Role, readRole, roleItem } from './role.ts'
import { checkDeletable, patchedRole, roleFrom } from './roleRules.ts'
import { closeUses, openUses } from './roleUse.ts'

type RoleAnswer = Promise<Answer<Role>>

/** Creates a role. The id of one that has been deleted may be used again. */
export function createRole(context: Context, { body }: Input<typeof contracts.createRole>): RoleAnswer {
  const role = roleFrom(body, { id: body.id ?? context.newId(), now: context.now })
  return retrying(async () => {
    const [fault, counter] = await Promise.all([wrongTexts(context, body), context.store.get(roleUseKey(role.id, 0))])
    if (fault) throw fault
    await context.store.write([
      {
        put: roleItem(role),
        if: absent,
        otherwise: { code: 'DUPLICATE_ID', property: 'id' },
      },
      ...takingExternalId(roleExternalIdKey, role),
      ...openUses(role.id, counter),
    ])
    return { status: 201, body: role }
  })
}

/** Reads a role. */
export async function getRole(context: Context, { path }: Input<typeof contracts.getRole>): RoleAnswer {
  return { status: 200, body: there(await readRole(context.store, path.role_id)) }
}

/** Applies a merge patch to a role. */
export function updateRole(context: Context, { path, body }: Input<typeof contracts.updateRole>): RoleAnswer {
  return retrying(async () => {
    const reading = readRole(context.store, path.role_id)
    const [fault, role] = await Promise.all([wrongTexts(context, body, reading), reading])
    if (fault) throw fault
    const before = there(role)
    const after = patchedRole(before, body, context.now)
    if (after === before) return { status: 200, body: before }
    checkLength(after)
    const isRenamed = after.external_id !== before.external_id
    await context.store.write([
      replacing(roleItem(after), before),
      ...(isRenamed ? takingExternalId(roleExternalIdKey, after) : []),
      ...(isRenamed ? givingUpExternalId(roleExternalIdKey, before) : []),
    ])
    return { status: 200, body: after }
  })
}

/** Deletes a role that nobody has, that no user group brings to a channel, and that is no channel's default. */
export function deleteRole(context: Context, { path }: Input<typeof contracts.deleteRole>): Promise<Answer<undefined>> {
  return retrying(async () => {
    const items = await all(context.store, wholeRole(path.role_id))
    const key = roleKey(path.role_id)
    const role = there(items.find(({ sk }) => sk === key.sk)?.['data'] as Role | undefined)
    checkDeletable(role)
    const closing = closeUses(role.id, items)
    if (!closing) throw refuse('ROLE_IN_USE', 'role_id')
    await context.store.write([
      { delete: key, if: is({ data: role }) },
      ...closing,
      ...givingUpExternalId(roleExternalIdKey, role),
    ])
    return { status: 204, body: undefined }
  })
}

function there(role: Role | undefined): Role {
  if (!role) throw refuse('ROLE_NOT_FOUND', 'role_id')
  return role
}
