import type { SectionRecords } from '../../schemas/directory.ts'
import { definitions } from '../attributes/attributeDefinition.ts'
import type { Organisation, PredefinedRoleType } from '../organisation/organisation.ts'
import {
  type AssignableRole,
  isModifiable,
  mayAssign,
  newRole,
  type Role,
  type RoleScope,
  roles,
  roleUses,
} from '../roles/role.ts'
import { attributeKey, groupKey, roleKey, roleUseKey } from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import type { DirectoryFile } from './directoryFile.ts'
import type { Lookup } from './importStore.ts'
import { checkFixed, checkNamed, checkTexts, merged, type Note, noting, type Plan, planChange } from './plan.ts'

/** Decides what becomes of the roles of the file, and takes in the stored ones that it refers to. */
export function planRoles(plan: Plan, predefined: Required<Organisation['predefined']>, stored: Lookup): void {
  const { now } = plan.context
  for (const entry of plan.file.roles) {
    const { value } = entry
    const before = roles.of(stored(roleKey(value.id)))
    const { data, verdict } = merged(value, before, newRole(value.id, now), now)
    checkTexts(plan, { index: entry.index, value: data }, noting(plan, 'roles', entry.index), before)
    checkKind({ data, before, predefined }, noting(plan, 'roles', entry.index))
    plan.roles.set(data.id, data)
    planChange(plan, 'roles', {
      write: roles.replace(before, data),
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

/** Whether an import may give a role to users: as an active administrator would. */
export const mayGive = (role: AssignableRole, scope: AssignableRole['scope']): boolean =>
  mayAssign({ role: 'ADMIN', status: 'ACTIVE' }, role, scope)

/** Faults of a role that a record names for a group or channel; `isGiven` if the record gives it to a user. */
export function checkRole(
  plan: Plan,
  { role_id, scope, isGiven }: { role_id: string; scope: AssignableRole['scope']; isGiven: boolean },
  note: Note,
  property = 'role_id',
): void {
  const role = plan.roles.get(role_id)
  if (!role) checkNamed(plan, 'roles', role_id, note, property)
  else if (role.scope !== scope) note(property, `must be a role of the scope ${scope}`)
  else if (isGiven && !mayGive(role, scope)) note(property, 'is a role that cannot be handed out')
}

const english = (text: string) => [{ language: 'en-GB', text }]

/** The roles that every directory has, as an import adds them. */
const predefinedRoles: Record<PredefinedRoleType, { scope: RoleScope; title: string; permissions: string[] }> = {
  USER_GROUP_MEMBER: { scope: 'USER_GROUPS', title: 'Member', permissions: ['GROUP_VIEW'] },
  USER_GROUP_OWNER: {
    scope: 'USER_GROUPS',
    title: 'Owner',
    permissions: ['GROUP_VIEW', 'GROUP_UPDATE', 'GROUP_MEMBERS_UPDATE'],
  },
  CHANNEL_MEMBER: { scope: 'CHANNELS', title: 'Channel member', permissions: ['CHANNEL_VIEW'] },
  CHANNEL_OWNER: {
    scope: 'CHANNELS',
    title: 'Channel owner',
    permissions: ['CHANNEL_VIEW', 'CHANNEL_UPDATE', 'CHANNEL_MEMBERS_UPDATE'],
  },
}
const groups = { ROOT: 'Organisation', ALL_USERS: 'All users' } as const
const attributes = { department: 'Department', location: 'Location', job_title: 'Job title' } as const

type RoleType = keyof typeof predefinedRoles
type GroupType = keyof typeof groups

const roleTypes = Object.keys(predefinedRoles) as RoleType[]
const groupTypes = Object.keys(groups) as GroupType[]
const attributeNames = Object.keys(attributes) as (keyof typeof attributes)[]

/** The scope that a predefined role is made for. */
const scopeOf = (type: RoleType): RoleScope => predefinedRoles[type].scope
/** Whether every directory has this attribute definition. */
export const isPredefinedAttribute = (name: string): boolean => Object.hasOwn(attributes, name)

/** Ids that a missing piece may get: the first that nobody has. */
const idsFor = (type: RoleType | GroupType): string[] => {
  const plain = type.toLowerCase().replaceAll('_', '-')
  return [plain, `predefined-${plain}`, ...Array.from({ length: 8 }, (_, n) => `predefined-${plain}-${n + 2}`)]
}

/** The keys to read before it can be said which pieces are missing. */
export const predefinedKeys = ({ predefined }: Organisation): Key[] => [
  ...roleTypes.flatMap((type) => [...idsFor(type), predefined[type] ?? []].flat().map(roleKey)),
  ...groupTypes.flatMap((type) => [...idsFor(type), predefined[type] ?? []].flat().map(groupKey)),
  ...attributeNames.map(attributeKey),
]

/**
 * Adds to the file what every directory has and neither the file nor the store brings; answers the ids of the
 * predefined roles and groups.
 */
export function complete(file: DirectoryFile, known: Organisation['predefined'], stored: Lookup) {
  const idFor = (type: RoleType | GroupType, inFile: string | undefined, isTaken: (id: string) => boolean): string =>
    known[type] ?? inFile ?? idsFor(type).find((id) => !isTaken(id)) ?? `predefined-${type.toLowerCase()}`
  const roleIds = roleTypes.map((type) => {
    const isTaken = (id: string) => has(file.roles, id) || stored(roleKey(id)) !== undefined
    const id = idFor(type, file.roles.find(({ value }) => value.predefined_role_type === type)?.value.id, isTaken)
    if (!isTaken(id)) file.roles.push({ index: null, value: predefinedRole(type, id) })
    return [type, id]
  })
  const groupIds = groupTypes.map((type) => {
    const isTaken = (id: string) => has(file.user_groups, id) || stored(groupKey(id)) !== undefined
    const id = idFor(type, file.user_groups.find(({ value }) => value.type === type)?.value.id, isTaken)
    if (!isTaken(id)) file.user_groups.push({ index: null, value: { id, type, title: english(groups[type]) } })
    return [type, id]
  })
  for (const name of attributeNames) {
    const isGiven = file.attribute_definitions.some(({ value }) => value.technical_name === name)
    if (!isGiven && !definitions.of(stored(attributeKey(name))))
      file.attribute_definitions.push({
        index: null,
        value: { technical_name: name, title: english(attributes[name]), attribute_type: 'TEXT' },
      })
  }
  return Object.fromEntries([...roleIds, ...groupIds]) as Required<Organisation['predefined']>
}

const has = (entries: readonly { value: { id: string } }[], id: string): boolean =>
  entries.some(({ value }) => value.id === id)

const predefinedRole = (type: RoleType, id: string): SectionRecords['roles'] => ({
  id,
  title: english(predefinedRoles[type].title),
  scope: predefinedRoles[type].scope,
  type: 'PREDEFINED',
  predefined_role_type: type,
  permissions: predefinedRoles[type].permissions,
})
