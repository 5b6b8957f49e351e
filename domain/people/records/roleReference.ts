import type { Context } from '../../request/context.ts'
import { bestTexts } from '../../request/localization.ts'
import type { Role } from './role.ts'

/** A role as other records refer to it. */
export const roleReference = async (context: Context, role: Role) => ({
  id: role.id,
  ...(await bestTexts(context, role)),
  type: role.type,
  predefined_role_type: role.predefined_role_type,
  scope: role.scope,
  permission_count: role.permissions.length,
})
