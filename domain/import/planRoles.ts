import type { Organisation } from '../organisation/organisation.ts'
import { type AssignableRole, isModifiable, mayAssign, type Role, roles, roleUses } from '../roles/role.ts'
import { roleKey, roleUseKey } from '../table/keys.ts'
import type { Lookup } from './importContext.ts'
import { checkFixed, checkTexts, isUnsound, merged, noting, type Plan, planChange } from './plan.ts'
import { type RoleType, scopeOf } from './predefined.ts'

/** Decides what becomes of the roles of the file, and takes in the stored ones that it refers to. */
export function planRoles(plan: Plan, predefined: Required<Organisation['predefined']>, stored: Lookup): void {
  const { now } = plan.context
  for (const entry of plan.file.roles) {
    const { value } = entry
    const before = stored(roleKey(value.id))?.data as Role | undefined
    const { data, verdict } = merged(value, before, newRole(value.id, now), now)
    checkTexts(plan, entry, noting(plan, 'roles', entry.index), before)
    checkKind({ data, before, predefined }, noting(plan, 'roles', entry.index))
    plan.roles.set(data.id, data)
    planChange(plan, 'roles', {
      put: roles.item(data),
      read: before,
      verdict,
      beside: before || data.predefined_role_type ? [] : roleUses(data.id).openForNew(stored(roleUseKey(data.id, 0))),
      first: data.predefined_role_type !== null,
    })
  }
}

type Kind = { data: Role; before: Role | undefined; predefined: Required<Organisation['predefined']> }

/** Faults of what a role is besides its texts. */
function checkKind({ data, before, predefined }: Kind, note: Note): void {
  if (before) checkChange(before, data, note)
  if (data.predefined_role_type) checkPredefined(data, predefined[data.predefined_role_type], note)
}

function checkChange(stored: Role, data: Role, note: Note): void {
  checkFixed(['scope', 'type', 'predefined_role_type'], { data, stored }, note)
  if (!isModifiable(stored, data)) note('type', 'is predefined: only title and description can change')
}

/** What a predefined role must be; `id` is that of the one role of its type. */
function checkPredefined(role: Role, id: string, note: Note): void {
  const scope = scopeOf(role.predefined_role_type as RoleType)
  if (role.id !== id) note('predefined_role_type', `belongs to the role ${id} already`)
  if (role.scope !== scope) note('scope', `must be ${scope} for this predefined role`)
  if (role.type !== 'PREDEFINED') note('type', 'must be PREDEFINED for a predefined role')
}

const newRole = (id: string, now: string): Role => ({
  id,
  external_id: null,
  title: [],
  description: [],
  scope: 'ORGANISATION',
  type: 'CUSTOM',
  predefined_role_type: null,
  permissions: [],
  assignable: true,
  created_at: now,
  updated_at: now,
})

/** An import hands out roles as an active administrator would. */
const importer = { role: 'ADMIN', status: 'ACTIVE' } as const

type Note = (property: string, reason: string) => void

/** Faults of a role that a record names for a group or channel; `isGiven` where somebody gets it by the record. */
export function checkRole(
  plan: Plan,
  { role_id, scope, isGiven }: { role_id: string; scope: AssignableRole['scope']; isGiven: boolean },
  note: Note,
  property = 'role_id',
): void {
  const role = plan.roles.get(role_id)
  if (!role) {
    if (!isUnsound(plan, 'roles', role_id)) note(property, 'names no role')
  } else if (role.scope !== scope) note(property, `must be a role of the scope ${scope}`)
  else if (isGiven && !mayAssign(importer, role, scope)) note(property, 'is a role that cannot be handed out')
}

/** Whether an import may make somebody an administrator: the same rule as for every role. */
export const mayBecome = (role: AssignableRole): boolean => mayAssign(importer, role, 'ORGANISATION')
