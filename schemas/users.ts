import * as atom from './atoms.ts'
import { contract, type FaultCode, nullable, object } from './contract.ts'

export const statuses = ['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'] as const
export const roles = ['USER', 'ADMIN'] as const
export const requiredActions = ['ACCEPT_TERMS_AND_CONDITIONS', 'UPDATE_PASSWORD', 'VERIFY_EMAIL'] as const

const attribute = object({ name: atom.reference, value: atom.text(255) }, ['name', 'value'])
const tag = object({ name: atom.line(1, 64) }, ['name'])
const picture = object({ file_id: atom.line(1, 255) }, ['file_id'])
const allowed = object({ allowed: { type: 'boolean' } }, ['allowed'])

const role = { type: 'string', enum: roles } as const
const status = { type: 'string', enum: statuses } as const
const email = {
  type: 'string',
  minLength: 5,
  maxLength: 255,
  format: 'email',
  pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF]*$',
} as const
const attributes = { type: 'array', maxItems: 50, items: attribute } as const
const tags = { type: 'array', maxItems: 50, items: tag } as const
const actionsRequired = {
  type: 'array',
  maxItems: 50,
  items: { type: 'string', enum: requiredActions },
} as const

/** The user record as every user operation answers it. */
export const user = object(
  {
    id: { type: 'string' },
    external_id: { type: ['string', 'null'] },
    first_name: { type: 'string' },
    last_name: { type: 'string' },
    email: { type: ['string', 'null'] },
    status,
    username: { type: 'string' },
    role,
    required_actions: { type: 'array', items: { type: 'string', enum: requiredActions } },
    primary_user_group: {
      ...object(
        { id: { type: 'string' }, title: atom.localized, status: { type: 'string', enum: ['ACTIVE', 'ARCHIVED'] } },
        ['id', 'title', 'status'],
      ),
      type: ['object', 'null'],
    },
    attributes: {
      type: 'array',
      items: object({ name: { type: 'string' }, value: { type: 'string' } }, ['name', 'value']),
    },
    profile_picture: { ...picture, type: ['object', 'null'] },
    tags: { type: 'array', items: tag },
    created_at: atom.moment,
    updated_at: atom.moment,
    deletion_at: { ...atom.moment, description: 'The moment of final deletion; only while PENDING_DELETION' },
    actions: object(
      { update: allowed, lock: allowed, unlock: allowed, deactivate: allowed, delete: allowed, restore: allowed },
      ['update', 'lock', 'unlock', 'deactivate', 'delete', 'restore'],
    ),
  },
  [
    'id',
    'external_id',
    'first_name',
    'last_name',
    'email',
    'status',
    'username',
    'role',
    'required_actions',
    'primary_user_group',
    'attributes',
    'profile_picture',
    'tags',
    'created_at',
    'updated_at',
  ],
)

/** What a user can be created from; null means absent. */
export const userCreation = object(
  {
    id: nullable(atom.id),
    external_id: nullable(atom.line(1, 255)),
    first_name: atom.line(1, 64),
    last_name: atom.line(1, 64),
    email: nullable(email),
    username: atom.line(1, 255),
    role: { type: ['string', 'null'], enum: [...roles, null] },
    status: { type: ['string', 'null'], enum: ['ACTIVE', 'LOCKED', 'DEACTIVATED', null] },
    required_actions: nullable(actionsRequired),
    attributes: nullable(attributes),
    tags: nullable(tags),
    profile_picture: nullable(picture),
    primary_user_group_id: nullable(atom.reference),
  },
  ['first_name', 'last_name', 'username'],
)

/** A merge patch of a user: what is not named stays, null clears. */
export const userPatch = object(
  {
    external_id: nullable(atom.line(1, 255)),
    first_name: atom.line(1, 64),
    last_name: atom.line(1, 64),
    email: nullable(email),
    username: atom.line(1, 255),
    role: { type: 'string', enum: roles },
    required_actions: nullable(actionsRequired),
    attributes: nullable(attributes),
    tags: nullable(tags),
    profile_picture: nullable(picture),
    primary_user_group_id: nullable(atom.reference),
  },
  [],
)

const createFaults: readonly FaultCode[] = [
  { at: /^attributes\.\d+\.value$/, keyword: 'maxLength', code: 'MAX_LENGTH_EXCEEDED' },
  {
    at: /^status$/,
    keyword: 'enum',
    value: 'PENDING_DELETION',
    code: 'USER_CREATION_WITH_PENDING_DELETION_NOT_ALLOWED',
  },
]
const patchFaults: readonly FaultCode[] = [{ at: /./, keyword: 'maxLength', code: 'MAX_LENGTH_EXCEEDED' }]

const trims = ['first_name', 'last_name'] as const
const userPath = object({ user_id: atom.id }, ['user_id'])
const embed = { type: 'array', items: { type: 'string', enum: ['ACTIONS'] } } as const
const embedQuery = object({ embed }, [])
const tagName = 'Users'
const attributeErrors = [
  'MAX_LENGTH_EXCEEDED',
  'INVALID_DATE_ATTRIBUTE_FORMAT',
  'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND',
  'UNKNOWN_USER_GROUP_ID',
  'USERNAME_ALREADY_EXISTS',
  'EXTERNAL_ID_ALREADY_EXISTS',
] as const

const userBatch = object(
  {
    items: {
      type: 'array',
      items: object(
        { id: { type: ['string', 'null'] }, status: { type: 'integer' }, body: user, error: atom.problem },
        ['id', 'status'],
      ),
    },
  },
  ['items'],
)

const userPatchItem = object({ id: atom.id, body: userPatch }, ['id', 'body'])
const userItem = object({ id: atom.id }, ['id'])

/** Fields the users list can be sorted by. */
export const userSorts = [
  'FIRST_NAME',
  'LAST_NAME',
  'USERNAME',
  'EMAIL',
  'DEPARTMENT',
  'LOCATION',
  'ROLE',
  'STATUS',
  'CREATED_AT',
  'UPDATED_AT',
] as const

export const listUsers = contract({
  name: 'listUsers',
  title: 'List, search and filter users',
  tag: tagName,
  access: 'administrator',
  query: {
    ...object(
      {
        ...atom.offsetPage,
        search_term: atom.searchTerm,
        username: { type: 'string', maxLength: 255 },
        external_id: { type: 'string', maxLength: 255 },
        attribute_technical_name: { type: 'string', maxLength: 255 },
        attribute_value: { type: 'string', maxLength: 255 },
        status: { type: 'array', items: status },
        sort: atom.sortBy(userSorts),
        embed,
      },
      [],
    ),
    dependentRequired: {
      attribute_technical_name: ['attribute_value'],
      attribute_value: ['attribute_technical_name'],
    },
  },
  answers: {
    200: object({ users: { type: 'array', items: user }, pagination: atom.offsetPagination }, ['users', 'pagination']),
  },
  errors: [],
})

export const createUser = contract({
  name: 'createUser',
  title: 'Create a user',
  tag: tagName,
  access: 'administrator',
  query: embedQuery,
  body: userCreation,
  trims,
  faultCodes: createFaults,
  answers: { 200: user, 201: user },
  errors: [
    ...attributeErrors,
    'USER_CREATION_WITH_PENDING_DELETION_NOT_ALLOWED',
    'USER_ID_ALREADY_EXISTS',
    'ROLE_NOT_ASSIGNABLE',
  ],
})

export const getUser = contract({
  name: 'getUser',
  title: 'Read a user',
  tag: tagName,
  access: 'administrator',
  path: userPath,
  query: embedQuery,
  answers: { 200: user },
  errors: ['USER_NOT_FOUND'],
})

export const updateUser = contract({
  name: 'updateUser',
  title: 'Update a user',
  tag: tagName,
  access: 'administrator',
  path: userPath,
  query: embedQuery,
  body: userPatch,
  mergePatch: true,
  trims,
  faultCodes: patchFaults,
  answers: { 200: user },
  errors: [...attributeErrors, 'USER_NOT_FOUND', 'USER_MODIFICATION_NOT_ALLOWED', 'ROLE_NOT_ASSIGNABLE'],
})

export const deleteUser = contract({
  name: 'deleteUser',
  title: 'Mark a user for deletion in 14 days',
  tag: tagName,
  access: 'administrator',
  path: userPath,
  query: embedQuery,
  answers: { 200: user },
  errors: ['USER_NOT_FOUND', 'ACTOR_MUST_NOT_CHANGE_ITSELF', 'USER_MODIFICATION_NOT_ALLOWED'],
})

export const lockUser = contract({ ...deleteUser, name: 'lockUser', title: 'Lock a user' })

export const unlockUser = contract({
  ...deleteUser,
  name: 'unlockUser',
  title: 'Unlock a user',
  errors: ['USER_NOT_FOUND', 'USER_MODIFICATION_NOT_ALLOWED'],
})

export const deactivateUser = contract({
  ...deleteUser,
  name: 'deactivateUser',
  title: 'Deactivate a user',
  feature: { name: 'user_deactivation', off: 'FEATURE_NOT_ENABLED' },
  errors: [...deleteUser.errors, 'FEATURE_NOT_ENABLED'],
})

export const restoreUser = contract({
  ...deleteUser,
  name: 'restoreUser',
  title: 'Restore a user before the final deletion',
  errors: ['USER_NOT_FOUND', 'USER_NOT_RESTORABLE', 'USER_MODIFICATION_NOT_ALLOWED'],
})

export const updateUsers = contract({
  name: 'updateUsers',
  title: 'Update up to 100 users',
  tag: tagName,
  access: 'administrator',
  query: embedQuery,
  body: atom.batchOf,
  item: userPatchItem,
  mergePatch: true,
  trims,
  faultCodes: patchFaults,
  answers: { 200: userBatch },
  errors: [],
})

export const deleteUsers = contract({
  name: 'deleteUsers',
  title: 'Mark up to 100 users for deletion in 14 days',
  tag: tagName,
  access: 'administrator',
  query: embedQuery,
  body: atom.batchOf,
  item: userItem,
  answers: { 200: userBatch },
  errors: [],
})

export const restoreUsers = contract({
  ...deleteUsers,
  name: 'restoreUsers',
  title: 'Restore up to 100 users before their final deletion',
})
