import { isObject } from '../base/values.ts'
import type { Attribute } from '../people/records/attributes.ts'
import type { UserRecord } from '../people/records/user.ts'
import type { Input } from '../request/context.ts'
import { acceptedLanguages, lookedUp } from '../request/localization.ts'
import { type Resource, textOf, valueAt } from './resource.ts'
import { ENTERPRISE_URN, isCustomName, ROLLCALL_URN, USER_URN } from './schema.ts'
import { invalidValue } from './scimError.ts'

// Where a SCIM user is stored. docs/scim.md has the same table for administrators.
//
// attribute                     | direction | stored in
// userName                      | both      | username
// externalId                    | both      | external_id
// name.givenName, familyName    | both      | first_name, last_name
// displayName                   | out       | first and last name; on creation it fills those that are missing
// emails                        | both      | email: the primary one, else the `work` one, else the first
// active                        | both      | status
// roles                         | both      | role: an explicit USER or ADMIN
// preferredLanguage             | both      | preferred_language: the language of the organisation that it means
// `attributesOf` below          | both      | the attribute of that name, if it is defined
// our extension: other names    | both      | the attribute of the same name
// our extension: tags           | both      | tags
// our extension: primaryUserGroup | both    | primary_user_group_id
// our extension: locked         | out       | status
// id, meta, groups              | out       | id, times and version, roles in groups

/** The attribute definitions that store a core or enterprise attribute; for a list, its element of type `work`. */
const attributesOf: readonly { keys: readonly string[]; part?: string; attribute: string }[] = [
  { keys: ['title'], attribute: 'job_title' },
  { keys: ['phoneNumbers'], part: 'value', attribute: 'phone_number' },
  { keys: ['addresses'], part: 'locality', attribute: 'location' },
  { keys: [ENTERPRISE_URN, 'employeeNumber'], attribute: 'employee_number' },
  { keys: [ENTERPRISE_URN, 'costCenter'], attribute: 'cost_center' },
  { keys: [ENTERPRISE_URN, 'organization'], attribute: 'organization' },
  { keys: [ENTERPRISE_URN, 'division'], attribute: 'division' },
  { keys: [ENTERPRISE_URN, 'department'], attribute: 'department' },
  { keys: [ENTERPRISE_URN, 'manager'], part: 'value', attribute: 'manager_id' },
]
type AttributeRow = (typeof attributesOf)[number]

/** The same by the names of the attribute definitions. */
export const mappedAttributes: ReadonlyMap<string, AttributeRow> = new Map(
  attributesOf.map((row) => [row.attribute, row]),
)

/** The names of the attribute definitions that a path covers: none, one, or all of a schema. */
export function attributesAt(keys: readonly string[]): string[] {
  const [urn, name] = keys
  if (urn === ROLLCALL_URN && name !== undefined && isCustom(name)) return [name]
  return attributesOf
    .filter((row) => row.keys.every((key, n) => keys[n] === undefined || keys[n] === key))
    .map(({ attribute }) => attribute)
}

/** Whether our extension has an attribute definition. */
export const isCustom = (technicalName: string): boolean =>
  isCustomName(technicalName) && !mappedAttributes.has(technicalName)

/** The fields of our record that a resource sets. Undefined: not set. Null clears. */
export type UserValues = {
  username?: string | undefined
  external_id?: string | undefined
  first_name?: string | undefined
  last_name?: string | undefined
  displayName?: string | undefined
  email?: string | undefined
  active?: boolean | undefined
  role?: UserRecord['role'] | undefined
  tags?: string[] | null | undefined
  /** As sent: a tag, or a list of ranges with weights. */
  preferred_language?: string | null | undefined
  primary_user_group_id?: string | null | undefined
  /** By technical name, whether they are defined or not. */
  attributes: ReadonlyMap<string, string | null>
}

/** The values in a canonical resource. Throws `invalidValue` for a value of the wrong type. */
export function userValuesOf(resource: Resource): UserValues {
  const name = objectAt(resource, 'name')
  const extension = objectAt(resource, ROLLCALL_URN)
  return {
    username: textAt(resource, 'userName'),
    external_id: textAt(resource, 'externalId'),
    first_name: textAt(name, 'givenName', 'name.'),
    last_name: textAt(name, 'familyName', 'name.'),
    displayName: textAt(resource, 'displayName'),
    email: textOf(valueIn(preferred(elementsAt(resource, 'emails'))), 'emails'),
    active: activeOf(resource['active']),
    role: roleOf(elementsAt(resource, 'roles')),
    tags: tagsOf(extension['tags']),
    preferred_language: textAt(resource, 'preferredLanguage'),
    primary_user_group_id:
      extension['primaryUserGroup'] === null ? null : textAt(extension, 'primaryUserGroup', `${ROLLCALL_URN}:`),
    attributes: new Map([...mappedValues(resource), ...customValues(extension)]),
  }
}

function mappedValues(resource: Resource): [string, string][] {
  return attributesOf.flatMap((row) => {
    const path = row.keys.join(':')
    const value = textOf(partOf(row, valueAt(resource, row.keys)), path)
    return value === undefined ? [] : [[row.attribute, value]]
  })
}

const customValues = (extension: Resource): [string, string | null][] =>
  Object.entries(extension)
    .filter(([name]) => isCustom(name))
    .map(([name, value]) => [name, textOf(value, `${ROLLCALL_URN}:${name}`) ?? null])

/** The part of an attribute's value that is stored: of a list, that of the element of type `work`. */
function partOf({ part }: AttributeRow, value: unknown): unknown {
  if (part === undefined) return value
  const element = Array.isArray(value) ? value.find(isOfType('work')) : value
  return isObject(element) ? element[part] : element
}

const isOfType = (type: string) => (element: unknown) =>
  isObject(element) && textOf(element['type'], 'type')?.toLowerCase() === type

const objectAt = (resource: Resource, name: string): Resource => {
  const value = resource[name]
  if (value === undefined || isObject(value)) return value ?? {}
  throw invalidValue(name, 'must be an object')
}

const elementsAt = (resource: Resource, name: string): unknown[] => {
  const value = resource[name]
  return Array.isArray(value) ? value : []
}

const textAt = (resource: Resource, name: string, prefix = ''): string | undefined =>
  textOf(resource[name], `${prefix}${name}`)

const valueIn = (element: unknown): unknown => (isObject(element) ? element['value'] : element)

/** The one element of a list that is stored: the primary one, else that for work, else the first. */
const preferred = (elements: readonly unknown[]): unknown =>
  elements.find((one) => isObject(one) && one['primary'] === true) ?? elements.find(isOfType('work')) ?? elements[0]

function activeOf(value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw invalidValue('active', 'must be true or false')
}

/** The user role in a list. Other values are ignored, as clients send them. The primary role wins, else the last one. */
function roleOf(elements: readonly unknown[]): UserRecord['role'] | undefined {
  const own = elements.filter((one) => ['USER', 'ADMIN'].includes(textOf(valueIn(one), 'roles') ?? ''))
  const chosen = own.find((one) => isObject(one) && one['primary'] === true) ?? own.at(-1)
  return valueIn(chosen) as UserRecord['role'] | undefined
}

function tagsOf(value: unknown): string[] | null | undefined {
  if (value === undefined || value === null) return value
  const tags = Array.isArray(value) ? value : [value]
  return [...new Set(tags.map((one) => textOf(one, `${ROLLCALL_URN}:tags`)).filter((one) => one !== undefined))]
}

/** A change as our own PATCH takes it, and whether the user is to be active. */
export type UserChange = { body: Patch & { attributes?: Attribute[] }; active: boolean | undefined }
type Patch = Omit<Input<'updateUser'>['body'], 'attributes'>

/** The values of a PUT: core and enterprise attributes that are not sent are cleared. */
export function replaced(sent: UserValues): ChangedValues {
  return {
    ...sent,
    email: sent.email ?? null,
    preferred_language: sent.preferred_language ?? null,
    attributes: new Map([...cleared(mappedAttributes), ...sent.attributes]),
  }
}

/** Clears attributes of these names. */
const cleared = (names: ReadonlyMap<string, unknown>): [string, null][] => [...names.keys()].map((name) => [name, null])

/** What an organisation has: languages, and attribute definitions. A value without a definition is not stored. */
export type Known = { languages: readonly string[]; isDefined: (name: string) => boolean }

/** The values of a change. Null clears a field. */
type ChangedValues = Omit<UserValues, 'email' | 'external_id'> & {
  email?: string | null | undefined
  external_id?: string | null | undefined
}

/** The values after the operations of a PATCH. Removed values are cleared. */
export const differences = (before: UserValues, after: UserValues): ChangedValues => ({
  ...after,
  email: after.email ?? null,
  external_id: after.external_id ?? null,
  tags: after.tags ?? null,
  preferred_language: after.preferred_language ?? null,
  primary_user_group_id: after.primary_user_group_id ?? null,
  attributes: new Map([...cleared(before.attributes), ...after.attributes]),
})

/**
 * The change that values ask for, without fields that are equal to the stored ones: a stored name that would no longer be valid
 * stays until it is changed.
 */
export function changeOf(user: UserRecord, values: ChangedValues, known: Known): UserChange {
  const { attributes: sent, preferred_language: _sent, displayName: _made, tags, active, ...fields } = values
  const language = languageOf(values, known)
  const changed = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && value !== user[name as keyof UserRecord],
  )
  const attributes = mergedAttributes(user, sent, known)
  const named = tags?.map((name) => ({ name })) ?? (tags === null ? [] : undefined)
  return {
    active,
    body: {
      ...Object.fromEntries(changed),
      ...(attributes === user.attributes ? {} : { attributes }),
      ...(language === undefined || language === user.preferred_language ? {} : { preferred_language: language }),
      ...(named === undefined || JSON.stringify(named) === JSON.stringify(user.tags) ? {} : { tags: named }),
    },
  }
}

/** The language that a value means: undefined for one that means no language of the organisation, null for none. */
const languageOf = ({ preferred_language: sent }: ChangedValues, { languages }: Known): string | null | undefined =>
  typeof sent === 'string' ? lookedUp(acceptedLanguages(sent), languages) : sent

/** A user's attributes after a change; the same list if nothing changes. */
function mergedAttributes(
  { attributes }: UserRecord,
  changes: UserValues['attributes'],
  { isDefined }: Known,
): UserRecord['attributes'] {
  const had = new Map(attributes.map(({ name, value }) => [name, value]))
  const after = new Map(had)
  for (const [name, value] of changes) {
    if (value === null) after.delete(name)
    else if (isDefined(name)) after.set(name, value)
  }
  const isSame = after.size === had.size && [...after].every(([name, value]) => had.get(name) === value)
  return isSame ? attributes : [...after].map(([name, value]) => ({ name, value }))
}

const LONGEST_NAME = 64
const cutName = (text: string): string => [...text].slice(0, LONGEST_NAME).join('')

/** First and last name. If one is missing, it is made from the displayName or the username. */
export function namesFrom({ first_name, last_name, displayName = '', username = '' }: UserValues) {
  const [word, ...rest] = displayName.split(/\s/u).filter((one) => one !== '')
  const first = first_name ?? cutName(word ?? (username.split('@')[0] || username))
  return { first_name: first, last_name: last_name ?? (cutName(rest.join(' ')) || first) }
}

/** The body of a creation. */
export function creationOf(values: UserValues, known: Known): object {
  const { attributes: sent, displayName: _made, role = 'USER', tags, active = true, ...fields } = values
  const attributes = [...sent].filter(([name, value]) => value !== null && known.isDefined(name))
  return {
    ...fields,
    ...namesFrom(values),
    role,
    status: active ? 'ACTIVE' : 'DEACTIVATED',
    attributes: attributes.map(([name, value]) => ({ name, value })),
    tags: tags?.map((name) => ({ name })),
    preferred_language: languageOf(values, known),
  }
}

/** The parts of a resource that are not in the record. `groups`: only in answers with one user. */
type OutsideRecord = { location: string; version: string; groups?: readonly object[] | undefined }

/** A user as a SCIM resource, with all attributes. */
export function resourceOf(user: UserRecord, { location, version, groups }: OutsideRecord): Resource {
  const { first_name: givenName, last_name: familyName, tags } = user
  const { core, enterprise, custom } = shownAttributes(user)
  const hasEnterprise = Object.keys(enterprise).length > 0
  const displayName = `${givenName} ${familyName}`
  return {
    schemas: [USER_URN, ...(hasEnterprise ? [ENTERPRISE_URN] : []), ROLLCALL_URN],
    id: user.id,
    ...(user.external_id === null ? {} : { externalId: user.external_id }),
    userName: user.username,
    name: { formatted: displayName, givenName, familyName },
    displayName,
    active: isActive(user),
    ...(user.email === null ? {} : { emails: [{ value: user.email, type: 'work', primary: true }] }),
    ...core,
    roles: [{ value: user.role }],
    ...(user.preferred_language === null ? {} : { preferredLanguage: user.preferred_language }),
    ...(groups ? { groups } : {}),
    ...(hasEnterprise ? { [ENTERPRISE_URN]: enterprise } : {}),
    [ROLLCALL_URN]: {
      ...custom,
      ...(tags.length > 0 ? { tags: tags.map(({ name }) => name) } : {}),
      primaryUserGroup: user.primary_user_group_id,
      locked: user.status === 'LOCKED',
    },
    meta: { resourceType: 'User', created: user.created_at, lastModified: user.updated_at, location, version },
  }
}

/** The value of `active`. It is also true for a locked user: a client does not see locks. */
export const isActive = ({ status }: Pick<UserRecord, 'status'>): boolean => status === 'ACTIVE' || status === 'LOCKED'

/** A user's attributes, grouped by the part of the resource that has them. */
function shownAttributes({ attributes }: UserRecord) {
  const shown = { core: {}, enterprise: {}, custom: {} } satisfies Record<string, Record<string, unknown>>
  for (const { name, value } of attributes) {
    const row = mappedAttributes.get(name)
    if (row)
      Object.assign(row.keys.length > 1 ? shown.enterprise : shown.core, {
        [row.keys.at(-1) ?? '']: shownValue(row, value),
      })
    else if (isCustom(name)) Object.assign(shown.custom, { [name]: value })
  }
  return shown
}

function shownValue({ keys, part }: AttributeRow, value: string): unknown {
  if (part === undefined) return value
  return keys[0] === ENTERPRISE_URN ? { [part]: value } : [{ [part]: value, type: 'work' }]
}
