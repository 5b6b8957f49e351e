import * as atom from './atoms.ts'
import { contract, type FaultCode, object } from './contract.ts'
import { entityTags } from './patterns.ts'
import { trims } from './sections.ts'
import { status, user, userBatch, userCreation, userPatch, userRole, userSorts } from './userRecords.ts'

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

const userPath = object({ user_id: atom.id }, ['user_id'])
const embed = { type: 'array', items: { type: 'string', enum: ['ACTIONS'] } } as const
const embedQuery = object({ embed }, [])
const tagName = 'Users'
const attributeErrors = [
  'MAX_LENGTH_EXCEEDED',
  'INVALID_DATE_ATTRIBUTE_FORMAT',
  'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND',
  'UNKNOWN_USER_GROUP_ID',
  'LANGUAGE_NOT_ENABLED',
  'USERNAME_ALREADY_EXISTS',
  'EXTERNAL_ID_ALREADY_EXISTS',
] as const

const userPatchItem = object({ id: atom.id, if_match: entityTags, body: userPatch }, ['id', 'body'])
const userItem = object({ id: atom.id, if_match: entityTags }, ['id'])

export const listUsers = contract({
  name: 'listUsers',
  title: 'List, search and filter users',
  tag: tagName,
  access: 'administrator',
  scopes: ['READ', 'USERS'],
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
        role: { type: 'array', items: userRole },
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
  scopes: ['USERS'],
  query: embedQuery,
  body: userCreation,
  trims: trims.users,
  faultCodes: createFaults,
  versioned: true,
  repeatable: 'USER_NOT_FOUND',
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
  scopes: ['READ', 'USERS'],
  path: userPath,
  query: embedQuery,
  versioned: true,
  answers: { 200: user },
  errors: ['USER_NOT_FOUND'],
})

export const updateUser = contract({
  name: 'updateUser',
  title: 'Update a user',
  tag: tagName,
  access: 'administrator',
  scopes: ['USERS'],
  path: userPath,
  query: embedQuery,
  body: userPatch,
  mergePatch: true,
  trims: trims.users,
  faultCodes: patchFaults,
  versioned: true,
  conditional: true,
  answers: { 200: user },
  errors: [...attributeErrors, 'USER_NOT_FOUND', 'USER_MODIFICATION_NOT_ALLOWED', 'ROLE_NOT_ASSIGNABLE'],
})

export const deleteUser = contract({
  name: 'deleteUser',
  title: 'Mark a user for deletion in 14 days',
  tag: tagName,
  access: 'administrator',
  scopes: ['USERS'],
  path: userPath,
  query: embedQuery,
  versioned: true,
  conditional: true,
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

export const reactivateUser = contract({
  ...unlockUser,
  name: 'reactivateUser',
  title: 'Reactivate a deactivated user',
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
  scopes: ['USERS'],
  query: embedQuery,
  body: atom.batchOf,
  item: userPatchItem,
  mergePatch: true,
  trims: trims.users,
  faultCodes: patchFaults,
  conditional: true,
  answers: { 200: userBatch },
  errors: [],
})

export const deleteUsers = contract({
  name: 'deleteUsers',
  title: 'Mark up to 100 users for deletion in 14 days',
  tag: tagName,
  access: 'administrator',
  scopes: ['USERS'],
  query: embedQuery,
  body: atom.batchOf,
  item: userItem,
  conditional: true,
  answers: { 200: userBatch },
  errors: [],
})

export const restoreUsers = contract({
  ...deleteUsers,
  name: 'restoreUsers',
  title: 'Restore up to 100 users before their final deletion',
})
