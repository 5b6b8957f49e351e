import type { AttributeDefinition } from '../people/records/attributeDefinition.ts'
import { MOST_RESULTS } from './listRequest.ts'
import { isCustom, mappedAttributes } from './mapping.ts'
import { ENTERPRISE_URN, GROUP_URN, ROLLCALL_URN, USER_URN } from './schema.ts'

// The documents of RFC 7644, section 4. They list exactly what the service supports: of the SCIM attributes that are stored in
// attribute definitions, only those that the organisation has defined.

/** An attribute in these documents (RFC 7643, section 7). */
type Shown = {
  name: string
  type: string
  multiValued: boolean
  description: string
  required: boolean
  caseExact: boolean
  mutability: 'readWrite' | 'readOnly' | 'immutable'
  returned: 'default'
  uniqueness: 'none' | 'server'
  subAttributes?: readonly Shown[]
  referenceTypes?: readonly string[]
  canonicalValues?: readonly string[]
}

const shown = (name: string, description: string, more: Partial<Shown> = {}): Shown => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})
const readOnly = { mutability: 'readOnly' } as const
const immutable = { mutability: 'immutable' } as const
const complex = (
  name: string,
  description: string,
  subAttributes: readonly Shown[],
  more: Partial<Shown> = {},
): Shown => shown(name, description, { type: 'complex', subAttributes, ...more })
const list = (name: string, description: string, sub: readonly Shown[], more: Partial<Shown> = {}): Shown =>
  complex(name, description, sub, { multiValued: true, ...more })
const type = shown('type', 'Only the value for work is stored', { canonicalValues: ['work'] })
const reference = (of: string) =>
  shown('$ref', `The address of the ${of}`, { type: 'reference', referenceTypes: [of], caseExact: true, ...readOnly })

/** Of attributes that have a default, so that no request must send them: `required` would not be true. */
const LASTING = 'It cannot be removed'

/** Attributes of users that are always stored. */
const ofUsers: readonly Shown[] = [
  shown('userName', 'The name that the user logs in with', { required: true, uniqueness: 'server' }),
  complex('name', `The names of the user. ${LASTING}`, [
    shown('formatted', 'First and last name', readOnly),
    shown('givenName', `The first name; where it is missing, a part of displayName or userName. ${LASTING}`),
    shown('familyName', `The last name; where it is missing, a part of displayName, else the first name. ${LASTING}`),
  ]),
  shown('displayName', 'First and last name', readOnly),
  shown('active', `Whether the user can be active; true of a locked user, too. ${LASTING}`, { type: 'boolean' }),
  list('emails', 'One address is stored: the primary one, else that for work, else the first', [
    shown('value', 'The address'),
    shown('type', 'Always work in answers', { canonicalValues: ['work'] }),
    shown('primary', 'Whether it is the preferred address', { type: 'boolean' }),
  ]),
  list('roles', `USER or ADMIN; other values are ignored. ${LASTING}`, [
    shown('value', 'The role', { canonicalValues: ['USER', 'ADMIN'], caseExact: true }),
  ]),
  shown(
    'preferredLanguage',
    'The language in which the user reads texts; only languages of the organisation are stored',
  ),
  list(
    'groups',
    'The groups in which the user is a member; not in lists',
    [
      shown('value', 'The id of the group', { caseExact: true, ...readOnly }),
      reference('Group'),
      shown('display', 'The name of the group', readOnly),
      shown('type', 'Always direct', { canonicalValues: ['direct'], ...readOnly }),
    ],
    readOnly,
  ),
]

/** Attributes of users that are stored if there is this attribute definition. */
const ofAttributes: Readonly<Record<string, Shown>> = {
  job_title: shown('title', 'The job title'),
  phone_number: list('phoneNumbers', 'The number for work', [shown('value', 'The number'), type]),
  location: list('addresses', 'The place of work', [shown('locality', 'The place'), type]),
  employee_number: shown('employeeNumber', 'The number of the employee'),
  cost_center: shown('costCenter', 'The cost center'),
  organization: shown('organization', 'The organization'),
  division: shown('division', 'The division'),
  department: shown('department', 'The department'),
  manager_id: complex('manager', 'The manager', [shown('value', 'The id of the manager', { caseExact: true })]),
}

/** Attributes of our extension besides attribute definitions. */
const ours: readonly Shown[] = [
  shown('tags', 'The tags of the user', { multiValued: true }),
  shown('primaryUserGroup', `The id of the primary user group. ${LASTING}`, { caseExact: true }),
  shown('locked', 'Whether an administrator has locked the user', { type: 'boolean', ...readOnly }),
]

const ofGroups: readonly Shown[] = [
  shown('displayName', 'The name of the group, in the default language', { required: true, uniqueness: 'server' }),
  list('members', 'The users who are members; up to 10,000 are shown', [
    shown('value', 'The id of the user', { caseExact: true, ...immutable }),
    reference('User'),
    shown('type', 'Always User', { canonicalValues: ['User'], ...immutable }),
  ]),
]

const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'

type Definitions = readonly Pick<AttributeDefinition, 'technical_name' | 'attribute_type'>[]

/**
 * An attribute, described by its definition. Dates are texts, as SCIM's `dateTime` has a time of day, which they do not have.
 */
const defined = (attribute: Shown, type: AttributeDefinition['attribute_type'] | undefined): Shown =>
  type === 'DATE' ? { ...attribute, description: `${attribute.description}: a date, as YYYY-MM-DD` } : attribute

/** The schemas of an organisation with these attribute definitions. */
export function schemasAt(baseUrl: string, definitions: Definitions) {
  const types = new Map(definitions.map((one) => [one.technical_name, one.attribute_type]))
  const mapped = (isEnterprise: boolean) =>
    [...mappedAttributes.values()]
      .filter(({ keys, attribute }) => types.has(attribute) && (keys[0] === ENTERPRISE_URN) === isEnterprise)
      .flatMap(({ attribute }) => {
        const one = ofAttributes[attribute]
        return one ? [defined(one, types.get(attribute))] : []
      })
  const schema = (id: string, name: string, description: string, attributes: readonly Shown[]) => ({
    schemas: [SCHEMA],
    id,
    name,
    description,
    attributes,
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${id}` },
  })
  return [
    schema(USER_URN, 'User', 'User Account', [...ofUsers, ...mapped(false)]),
    schema(ENTERPRISE_URN, 'EnterpriseUser', 'Enterprise User', mapped(true)),
    schema(ROLLCALL_URN, 'RollcallUser', 'What Rollcall knows of a user besides', [
      ...[...types].flatMap(([name, type]) =>
        isCustom(name) ? [defined(shown(name, `The attribute ${name}`), type)] : [],
      ),
      ...ours,
    ]),
    schema(GROUP_URN, 'Group', 'Group', ofGroups),
  ]
}

const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'

/** The resource types: users and groups. */
export const resourceTypesAt = (baseUrl: string) => [
  {
    ...resourceType(baseUrl, 'User', USER_URN),
    schemaExtensions: [ENTERPRISE_URN, ROLLCALL_URN].map((schema) => ({ schema, required: false })),
  },
  resourceType(baseUrl, 'Group', GROUP_URN),
]

const resourceType = (baseUrl: string, name: string, schema: string) => ({
  schemas: [RESOURCE_TYPE],
  id: name,
  name,
  endpoint: `/${name}s`,
  description: name === 'User' ? 'A user' : 'An active user group of type CUSTOM',
  schema,
  meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
})

/** The features that the service supports. */
export const serviceProviderConfigAt = (baseUrl: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MOST_RESULTS },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: MOST_RESULTS,
    maxPageSize: MOST_RESULTS,
  },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A token of an administrator, or a service token with the scope SCIM',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
})
