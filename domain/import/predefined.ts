import { definitions } from '../people/records/attributeDefinition.ts'
import type { Organisation, PredefinedRoleType } from '../people/records/organisation.ts'
import type { Role } from '../people/records/role.ts'
import { attributeKey, groupKey, roleKey } from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import type { DirectoryFile } from './directoryFile.ts'
import type { Lookup } from './lookup.ts'

// What every directory has: four roles, the root, the group of all users, three attribute definitions. An import adds what is
// missing.

const english = (text: string) => [{ language: 'en-GB', text }]

/** The roles that every directory has, as an import adds them. */
export const predefinedRoles: Record<PredefinedRoleType, Pick<Role, 'scope' | 'title' | 'permissions'>> = {
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

/** The ids for a missing record, which gets the first one that is free. */
const idsFor = (type: Predefined): string[] => {
  const plain = type.toLowerCase().replaceAll('_', '-')
  return [plain, `predefined-${plain}`, ...Array.from({ length: 8 }, (_, n) => `predefined-${plain}-${n + 2}`)]
}

/** The keys to read to see which of these records are missing. */
export const predefinedKeys = ({ predefined }: Organisation): Key[] => {
  const idsOf = (type: Predefined) => [...idsFor(type), predefined[type] ?? []].flat()
  return [
    ...roleTypes.flatMap((type) => idsOf(type).map(roleKey)),
    ...groupTypes.flatMap((type) => idsOf(type).map(groupKey)),
    ...attributeNames.map(attributeKey),
  ]
}

/** The file with the predefined records that neither it nor the table has, and the ids of the predefined roles and groups. */
export function withPredefined(
  file: DirectoryFile,
  stored: Organisation['predefined'],
  found: Lookup,
): { file: DirectoryFile; predefined: Required<Organisation['predefined']> } {
  const predefined: Organisation['predefined'] = {}
  const roles = [...file.roles]
  const user_groups = [...file.user_groups]
  const attribute_definitions = [...file.attribute_definitions]
  /** Chooses the id of a record: the stored one, that of the file, or a free one. Returns it if the record is missing. */
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

const has = (records: readonly { value: { id: string } }[], id: string): boolean =>
  records.some(({ value }) => value.id === id)
