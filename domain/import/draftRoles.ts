import { roleUses } from '../people/records/heldRoles.ts'
import type { Organisation, PredefinedRoleType } from '../people/records/organisation.ts'
import { type Role, roleFields, roles } from '../people/records/role.ts'
import { type AssignableRole, isModifiable, mayAssign } from '../people/records/roleRules.ts'
import { replaceRecord } from '../table/changes.ts'
import { roleKey, roleUseKey } from '../table/keys.ts'
import { type Draft, draftChange } from './draft.ts'
import { type AddFault, checkFixed, checkNamed } from './draftFaults.ts'
import type { Lookup } from './lookup.ts'
import { predefinedRoles } from './predefined.ts'
import { wantedRecord } from './wantedRecord.ts'

/** Decides what becomes of the roles of the file. */
export function draftRoles(draft: Draft, predefined: Required<Organisation['predefined']>, stored: Lookup): void {
  const { now } = draft.context
  for (const record of draft.file.roles) {
    const { id } = record.value
    const fresh = roleFields.create({}, { id, created_at: now, updated_at: now })
    const versions = { before: roles.of(stored(roleKey(id))), fresh }
    const { addFault, before, data, outcome } = wantedRecord(draft, 'roles', record, versions)
    if (before) checkChange(before, data, addFault)
    const { predefined_role_type: type } = data
    if (type) checkPredefined(data, type, predefined[type], addFault)
    draft.structure.roles.set(data.id, data)
    draftChange(draft, 'roles', {
      write: replaceRecord(roles, before, data),
      outcome,
      also: before || type ? [] : roleUses(data.id).openForNew(stored(roleUseKey(data.id, 0))),
      first: type !== null,
    })
  }
}

/** Adds faults if a stored role would change in more than its texts. */
function checkChange(stored: Role, data: Role, addFault: AddFault): void {
  checkFixed(['scope', 'type', 'predefined_role_type'], { data, stored }, addFault)
  if (!isModifiable(stored, data)) addFault('type', 'is predefined: only title and description can change')
}

/** Adds faults of a predefined role. `id` is the one of this type. */
function checkPredefined(role: Role, type: PredefinedRoleType, id: string, addFault: AddFault): void {
  const { scope } = predefinedRoles[type]
  if (role.id !== id) addFault('predefined_role_type', `must be unique: the role ${id} has it already`)
  if (role.scope !== scope) addFault('scope', `must be ${scope} for this predefined role`)
  if (role.type !== 'PREDEFINED') addFault('type', 'must be PREDEFINED for a predefined role')
}

/** Whether an import may give a role to users: as an active administrator would. */
export const mayHandOut = (role: AssignableRole, scope: AssignableRole['scope']): boolean =>
  mayAssign({ kind: 'USER', role: 'ADMIN', status: 'ACTIVE' }, role, scope)

/** Adds faults of a role that a record names for a group or channel. `isGiven` says that the record gives it to a user. */
export function checkRole(
  draft: Draft,
  { role_id, scope, isGiven }: { role_id: string; scope: AssignableRole['scope']; isGiven: boolean },
  addFault: AddFault,
  property = 'role_id',
): void {
  const role = draft.structure.roles.get(role_id)
  if (!role) checkNamed(draft, 'roles', role_id, addFault, property)
  else if (role.scope !== scope) addFault(property, `must be a role of the scope ${scope}`)
  else if (isGiven && !mayHandOut(role, scope)) addFault(property, 'is a role that cannot be handed out')
}
