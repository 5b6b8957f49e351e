import { definitions } from '../attributes/attributeDefinition.ts'
import type { Organisation, PredefinedRoleType } from '../organisation/organisation.ts'
import { type AssignableRole, isModifiable, mayAssign, newRole, type Role, roles, roleUses } from '../roles/role.ts'
import { attributeKey, groupKey, roleKey, roleUseKey } from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import type { DirectoryFile } from './directoryFile.ts'
import type { Lookup } from './importContext.ts'
import { checkFixed, checkNamed, type Note, type Plan, planChange, wantedRecord } from './plan.ts'

/** Decides what becomes of the roles of the file. */
export function planRoles(plan: Plan, predefined: Required<Organisation['predefined']>, stored: Lookup): void {
  for (const entry of plan.file.roles) {
    const { id } = entry.value
    const versions = { before: roles.of(stored(roleKey(id))), fresh: newRole(id, plan.context.now) }
    const { note, before, data, verdict } = wantedRecord(plan, 'roles', entry, versions)
    if (before) checkChange(before, data, note)
    const { predefined_role_type: type } = data
    if (type) checkPredefined(data, type, predefined[type], note)
    plan.reference.roles.set(data.id, data)
    planChange(plan, 'roles', {
      write: roles.replace(before, data),
      verdict,
      also: before || type ? [] : roleUses(data.id).openForNew(stored(roleUseKey(data.id, 0))),
      first: type !== null,
    })
  }
}

/** Notes faults if a stored role would change in more than its texts. */
function checkChange(stored: Role, data: Role, note: Note): void {
  checkFixed(['scope', 'type', 'predefined_role_type'], { data, stored }, note)
  if (!isModifiable(stored, data)) note('type', 'is predefined: only title and description can change')
}

/** Notes faults of a predefined role. `id` is the one of this type. */
function checkPredefined(role: Role, type: PredefinedRoleType, id: string, note: Note): void {
  const { scope } = predefinedRoles[type]
  if (role.id !== id) note('predefined_role_type', `must be unique: the role ${id} has it already`)
  if (role.scope !== scope) note('scope', `must be ${scope} for this predefined role`)
  if (role.type !== 'PREDEFINED') note('type', 'must be PREDEFINED for a predefined role')
}

/** Whether an import may give a role to users: as an active administrator would. */
export const mayGive = (role: AssignableRole, scope: AssignableRole['scope']): boolean =>
  mayAssign({ kind: 'USER', role: 'ADMIN', status: 'ACTIVE' }, role, scope)

/** Notes faults of a role that a record names for a group or channel. `isGiven` says that the record gives it to a user. */
export function checkRole(
  plan: Plan,
  { role_id, scope, isGiven }: { role_id: string; scope: AssignableRole['scope']; isGiven: boolean },
  note: Note,
  property = 'role_id',
): void {
  const role = plan.reference.roles.get(role_id)
  if (!role) checkNamed(plan, 'roles', role_id, note, property)
  else if (role.scope !== scope) note(property, `must be a role of the scope ${scope}`)
  else if (isGiven && !mayGive(role, scope)) note(property, 'is a role that cannot be handed out')
}

const english = (text: string) => [{ language: 'en-GB', text }]

/** The roles that every directory has, as an import adds them. */
const predefinedRoles: Record<PredefinedRoleType, Pick<Role, 'scope' | 'title' | 'permissions'>> = {
  USER_GROUP_MEMBER: { scope: 'USER_GROUPS', title: english('Member'), permissions: ['GROUP_VIEW'] },
  USER_GROUP_OWNER: {
    scope: 'USER_GROUPS',
    title: english('Owner'),
    permissions: ['GROUP_VIEW', 'GROUP_UPDATE', 'GROUP_MEMBERS_UPDATE'],
  },
  CHANNEL_MEMBER: { scope: 'CHANNELS', title: english('Channel member'), permissions: ['CHANNEL_VIEW'] },
  CHANNEL_OWNER: {
    scope: 'CHANNELS',
    title: english('Channel owner'),
    permissions: ['CHANNEL_VIEW', 'CHANNEL_UPDATE', 'CHANNEL_MEMBERS_UPDATE'],
  },
}
const groups = { ROOT: english('Organisation'), ALL_USERS: english('All users') }
const attributes = {
  department: english('Department'),
  location: english('Location'),
  job_title: english('Job title'),
}

type Predefined = keyof Organisation['predefined']

const namesOf = <T extends object>(all: T) => Object.keys(all) as (keyof T & string)[]
const roleTypes = namesOf(predefinedRoles)
const groupTypes = namesOf(groups)
const attributeNames = namesOf(attributes)

/** Whether every directory has this attribute definition. */
export const isPredefinedAttribute = (name: string): boolean => Object.hasOwn(attributes, name)

/** The ids that a missing record may get: it gets the first free one. */
const idsFor = (type: Predefined): string[] => {
  const plain = type.toLowerCase().replaceAll('_', '-')
  return [plain, `predefined-${plain}`, ...Array.from({ length: 8 }, (_, n) => `predefined-${plain}-${n + 2}`)]
}

/** The keys that show which predefined records are missing. */
export const predefinedKeys = ({ predefined }: Organisation): Key[] => {
  const idsOf = (type: Predefined) => [...idsFor(type), predefined[type] ?? []].flat()
  return [
    ...roleTypes.flatMap((type) => idsOf(type).map(roleKey)),
    ...groupTypes.flatMap((type) => idsOf(type).map(groupKey)),
    ...attributeNames.map(attributeKey),
  ]
}

/**
 * The file, completed with what every directory has but neither the file nor the table has, and the ids of the predefined
 * roles and groups.
 */
export function completed(
  file: DirectoryFile,
  stored: Organisation['predefined'],
  found: Lookup,
): { file: DirectoryFile; predefined: Required<Organisation['predefined']> } {
  const predefined: Organisation['predefined'] = {}
  const roles = [...file.roles]
  const user_groups = [...file.user_groups]
  const attribute_definitions = [...file.attribute_definitions]
  /**
   * Chooses the id of a predefined record: the stored one, that of the file, or a free one. Answers it if the record is
   * missing.
   */
  const missing = (type: Predefined, idInFile: string | undefined, isTaken: (id: string) => boolean): string[] => {
    const free = () => idsFor(type).find((one) => !isTaken(one)) ?? `predefined-${type.toLowerCase()}`
    const id = stored[type] ?? idInFile ?? free()
    predefined[type] = id
    return isTaken(id) ? [] : [id]
  }
  for (const type of roleTypes) {
    const inFile = roles.find(({ value }) => value.predefined_role_type === type)?.value.id
    for (const id of missing(type, inFile, (one) => has(roles, one) || found(roleKey(one)) !== undefined))
      roles.push({
        index: null,
        value: { id, ...predefinedRoles[type], type: 'PREDEFINED', predefined_role_type: type },
      })
  }
  for (const type of groupTypes) {
    const inFile = user_groups.find(({ value }) => value.type === type)?.value.id
    for (const id of missing(type, inFile, (one) => has(user_groups, one) || found(groupKey(one)) !== undefined))
      user_groups.push({ index: null, value: { id, type, title: groups[type] } })
  }
  for (const name of attributeNames) {
    const isInFile = attribute_definitions.some(({ value }) => value.technical_name === name)
    if (!isInFile && !definitions.of(found(attributeKey(name))))
      attribute_definitions.push({
        index: null,
        value: { technical_name: name, title: attributes[name], attribute_type: 'TEXT' },
      })
  }
  return {
    file: { ...file, roles, user_groups, attribute_definitions },
    predefined: predefined as Required<Organisation['predefined']>,
  }
}

const has = (entries: readonly { value: { id: string } }[], id: string): boolean =>
  entries.some(({ value }) => value.id === id)
