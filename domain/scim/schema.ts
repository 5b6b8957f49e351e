// All attributes of RFC 7643, with types and sub-attributes. mapping.ts says which ones are stored. Names are compared without
// regard to case, as SCIM requires.

/** An attribute as RFC 7643 (section 7) describes one. */
export type ScimAttribute = {
  name: string
  type: 'string' | 'boolean' | 'complex' | 'reference' | 'dateTime' | 'binary'
  multiValued?: true
  /** Whether values are compared with regard to case. */
  caseExact?: true
  sub?: readonly ScimAttribute[]
}

/** The attributes of a resource type: those of its core schema, and of its extensions by their URN. */
export type ResourceSchema = {
  urn: string
  core: readonly ScimAttribute[]
  extensions: ReadonlyMap<string, readonly ScimAttribute[]>
  /** What each resource has, by path: `required` cannot be cleared in any way; `kept` stays when it is cleared, and is not removed. */
  lasting: ReadonlyMap<readonly string[], 'required' | 'kept'>
}

export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE_URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
/** The URN of our extension of users. */
export const ROLLCALL_URN = 'urn:ietf:params:scim:schemas:extension:rollcall:2.0:User'

const string = (name: string): ScimAttribute => ({ name, type: 'string' })
const exact = (name: string): ScimAttribute => ({ name, type: 'string', caseExact: true })
const boolean = (name: string): ScimAttribute => ({ name, type: 'boolean' })
const reference = (name: string): ScimAttribute => ({ name, type: 'reference', caseExact: true })
const complex = (name: string, sub: readonly ScimAttribute[]): ScimAttribute => ({ name, type: 'complex', sub })
const list = (name: string, sub: readonly ScimAttribute[]): ScimAttribute => ({
  name,
  type: 'complex',
  multiValued: true,
  sub,
})

/** The sub-attributes that most multi-valued attributes have. */
const plural = (value: ScimAttribute = string('value')): ScimAttribute[] => [
  value,
  string('display'),
  string('type'),
  boolean('primary'),
]

const common: readonly ScimAttribute[] = [
  { name: 'schemas', type: 'reference', multiValued: true },
  exact('id'),
  exact('externalId'),
  complex('meta', [
    exact('resourceType'),
    { name: 'created', type: 'dateTime' },
    { name: 'lastModified', type: 'dateTime' },
    reference('location'),
    exact('version'),
  ]),
]

const user: readonly ScimAttribute[] = [
  ...common,
  string('userName'),
  complex(
    'name',
    ['formatted', 'familyName', 'givenName', 'middleName', 'honorificPrefix', 'honorificSuffix'].map(string),
  ),
  ...['displayName', 'nickName'].map(string),
  reference('profileUrl'),
  ...['title', 'userType', 'preferredLanguage', 'locale', 'timezone'].map(string),
  boolean('active'),
  string('password'),
  list('emails', plural()),
  list('phoneNumbers', plural()),
  list('ims', plural()),
  list('photos', plural(reference('value'))),
  list('addresses', [
    ...['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country', 'type'].map(string),
    boolean('primary'),
  ]),
  list('groups', [exact('value'), reference('$ref'), string('display'), string('type')]),
  list('entitlements', plural()),
  list('roles', plural(exact('value'))),
  list('x509Certificates', plural({ name: 'value', type: 'binary', caseExact: true })),
]

const enterprise: readonly ScimAttribute[] = [
  ...['employeeNumber', 'costCenter', 'organization', 'division', 'department'].map(string),
  complex('manager', [exact('value'), reference('$ref'), string('displayName')]),
]

/** Attributes of our extension besides attribute definitions. */
const ours: readonly ScimAttribute[] = [
  { ...string('tags'), multiValued: true },
  exact('primaryUserGroup'),
  boolean('locked'),
]

const group: readonly ScimAttribute[] = [
  ...common,
  string('displayName'),
  list('members', [exact('value'), reference('$ref'), string('display'), string('type')]),
]

const scimName = /^[A-Za-z][\w$-]*$/

/** Whether an attribute definition of this name can be an attribute of our extension. */
export const isCustomName = (technicalName: string): boolean =>
  scimName.test(technicalName) && !ours.some(({ name }) => isSameName(name, technicalName))

/** The schema of users. `custom`: the technical names of the attribute definitions in our extension. */
export const userSchema = (custom: readonly string[] = []): ResourceSchema => ({
  urn: USER_URN,
  core: user,
  extensions: new Map([
    [ENTERPRISE_URN, enterprise],
    [ROLLCALL_URN, [...custom.map(string), ...ours]],
  ]),
  lasting: lastingOfUsers,
})

const lastingOfUsers: ResourceSchema['lasting'] = new Map([
  [['userName'], 'required'],
  [['name', 'givenName'], 'kept'],
  [['name', 'familyName'], 'kept'],
  [['active'], 'kept'],
  [['roles'], 'kept'],
  [[ROLLCALL_URN, 'primaryUserGroup'], 'kept'],
])

export const groupSchema: ResourceSchema = {
  urn: GROUP_URN,
  core: group,
  extensions: new Map(),
  lasting: new Map([[['displayName'], 'required']]),
}

export const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** The attribute of this name, in any letter case. */
export const named = (attributes: readonly ScimAttribute[] | undefined, name: string): ScimAttribute | undefined =>
  attributes?.find((one) => isSameName(one.name, name))

/**
 * An attribute as a path names it: the names that lead to it in a resource, as we spell them, and the attribute itself.
 * `parent` is the complex attribute of a sub-attribute. A path that is only the URN of an extension has no attribute.
 */
export type Target = { keys: readonly string[]; attribute?: ScimAttribute; parent?: ScimAttribute }

/** Finds the attribute of a path without a filter; undefined if the schema does not have it. */
export function targetOf(path: string, schema: ResourceSchema): Target | undefined {
  if (!/^urn:/i.test(path)) return within(path, schema.core, []) ?? withoutUrn(path, schema)
  if (isSameName(path.slice(0, schema.urn.length + 1), `${schema.urn}:`))
    return within(path.slice(schema.urn.length + 1), schema.core, [])
  const [urn, attributes] = [...schema.extensions].find(([one]) => isOf(path, one)) ?? []
  if (!urn) return undefined
  return path.length === urn.length ? { keys: [urn] } : within(path.slice(urn.length + 1), attributes, [urn])
}

const isOf = (path: string, urn: string): boolean =>
  isSameName(path.slice(0, urn.length), urn) && ['', ':'].includes(path.charAt(urn.length))

/** Attributes of the enterprise extension are also found without its URN: clients filter by `manager eq`. */
const withoutUrn = (path: string, { extensions }: ResourceSchema): Target | undefined =>
  within(path, extensions.get(ENTERPRISE_URN), [ENTERPRISE_URN])

function within(
  path: string,
  attributes: readonly ScimAttribute[] | undefined,
  urn: readonly string[],
): Target | undefined {
  const [first = '', second, ...more] = path.split('.')
  const attribute = named(attributes, first)
  if (!attribute || more.length > 0) return undefined
  if (second === undefined) return { keys: [...urn, attribute.name], attribute }
  const sub = named(attribute.sub, second)
  return sub && { keys: [...urn, attribute.name, sub.name], attribute: sub, parent: attribute }
}
