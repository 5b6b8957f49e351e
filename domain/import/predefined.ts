import type { SectionRecords } from '../../schemas/directory.ts'
import { definitions } from '../attributes/attributeDefinition.ts'
import type { Organisation, PredefinedRoleType } from '../organisation/organisation.ts'
import type { RoleScope } from '../roles/role.ts'
import { attributeKey, groupKey, roleKey } from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import type { DirectoryFile } from './directoryFile.ts'
import type { Lookup } from './importContext.ts'

const english = (text: string) => [{ language: 'en-GB', text }]

/** The roles that every directory has, as an import adds them. */
const roles: Record<PredefinedRoleType, { scope: RoleScope; title: string; permissions: string[] }> = {
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

export type RoleType = keyof typeof roles
type GroupType = keyof typeof groups

const roleTypes = Object.keys(roles) as RoleType[]
const groupTypes = Object.keys(groups) as GroupType[]
const attributeNames = Object.keys(attributes) as (keyof typeof attributes)[]

/** The scope that a predefined role is made for. */
export const scopeOf = (type: RoleType): RoleScope => roles[type].scope
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
  const roleIds = roleTypes.map((type) => {
    const given = file.roles.find(({ value }) => value.predefined_role_type === type)?.value.id
    const id = known[type] ?? given ?? freeId(type, (one) => has(file.roles, one) || stored(roleKey(one)) !== undefined)
    if (!has(file.roles, id) && !stored(roleKey(id))) file.roles.push({ index: null, value: newRole(type, id) })
    return [type, id]
  })
  const groupIds = groupTypes.map((type) => {
    const given = file.user_groups.find(({ value }) => value.type === type)?.value.id
    const isTaken = (one: string) => has(file.user_groups, one) || stored(groupKey(one)) !== undefined
    const id = known[type] ?? given ?? freeId(type, isTaken)
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

const freeId = (type: RoleType | GroupType, isTaken: (id: string) => boolean): string =>
  idsFor(type).find((id) => !isTaken(id)) ?? `predefined-${type.toLowerCase()}`

const newRole = (type: RoleType, id: string): SectionRecords['roles'] => ({
  id,
  title: english(roles[type].title),
  scope: roles[type].scope,
  type: 'PREDEFINED',
  predefined_role_type: type,
  permissions: roles[type].permissions,
})
