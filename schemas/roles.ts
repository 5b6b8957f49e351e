import { predefinedRoleTypes, roleScopes } from './assignments.ts'
import * as atom from './atoms.ts'
import { contract, nullable, object } from './contract.ts'
import { trims } from './sections.ts'

const tag = 'Roles'
const rolePath = object({ role_id: atom.id }, ['role_id'])
const scope = { type: 'string', enum: roleScopes } as const
const type = { type: 'string', enum: ['PREDEFINED', 'CUSTOM'] } as const

const sharedFields = {
  id: { type: 'string' },
  external_id: { type: ['string', 'null'] },
  scope,
  type,
  predefined_role_type: { type: ['string', 'null'], enum: [...predefinedRoleTypes, null] },
  permissions: { type: 'array', items: { type: 'string' } },
  assignable: { type: 'boolean' },
  created_at: atom.moment,
  updated_at: atom.moment,
} as const
const names = [
  'id',
  'external_id',
  'title',
  'description',
  'scope',
  'type',
  'predefined_role_type',
  'permissions',
  'assignable',
  'created_at',
  'updated_at',
] as const

/** A role with its texts in all languages. */
export const role = object({ ...sharedFields, title: atom.localizedTexts, description: atom.localizedTexts }, names)

/** A role as lists show it: each text in the one language that fits the caller best. */
const listedRole = object({ ...sharedFields, title: atom.localized, description: nullable(atom.localized) }, names)

const input = {
  external_id: nullable(atom.line(1, 255)),
  title: atom.titleInput(120),
  description: atom.descriptionInput(200),
  permissions: nullable({ type: 'array', maxItems: 200, uniqueItems: true, items: atom.line(1, 100) }),
  assignable: { type: ['boolean', 'null'] },
} as const

export const listRoles = contract({
  name: 'listRoles',
  title: 'List roles',
  tag,
  access: 'administrator',
  scopes: ['READ', 'SETTINGS'],
  query: object(
    {
      ...atom.offsetPage,
      scope: { type: 'array', items: scope },
      type: { type: 'array', items: type },
      sort: atom.sortBy(['TITLE']),
    },
    [],
  ),
  answers: {
    200: object({ roles: { type: 'array', items: listedRole }, pagination: atom.offsetPagination }, [
      'roles',
      'pagination',
    ]),
  },
  errors: [],
})

export const createRole = contract({
  name: 'createRole',
  title: 'Create a role',
  tag,
  access: 'administrator',
  scopes: ['SETTINGS'],
  body: object({ ...input, id: nullable(atom.id), scope, type: { type: ['string', 'null'], enum: ['CUSTOM', null] } }, [
    'title',
    'scope',
  ]),
  trims: trims.roles,
  versioned: true,
  repeatable: 'ROLE_NOT_FOUND',
  answers: { 201: role },
  errors: ['LANGUAGE_NOT_ENABLED', 'DUPLICATE_ID', 'DUPLICATE_EXTERNAL_ID'],
})

export const getRole = contract({
  name: 'getRole',
  title: 'Read a role',
  tag,
  access: 'administrator',
  scopes: ['READ', 'SETTINGS'],
  path: rolePath,
  versioned: true,
  answers: { 200: role },
  errors: ['ROLE_NOT_FOUND'],
})

export const updateRole = contract({
  name: 'updateRole',
  title: 'Update a role',
  tag,
  access: 'administrator',
  scopes: ['SETTINGS'],
  path: rolePath,
  body: object(
    {
      ...input,
      scope,
      id: atom.readOnly,
      type: atom.readOnly,
      predefined_role_type: atom.readOnly,
      created_at: atom.readOnly,
      updated_at: atom.readOnly,
    },
    [],
  ),
  mergePatch: true,
  trims: trims.roles,
  versioned: true,
  conditional: true,
  answers: { 200: role },
  errors: ['LANGUAGE_NOT_ENABLED', 'ROLE_NOT_FOUND', 'ROLE_NOT_MODIFIABLE', 'DUPLICATE_EXTERNAL_ID'],
})

export const deleteRole = contract({
  name: 'deleteRole',
  title: 'Delete an unused role',
  tag,
  access: 'administrator',
  scopes: ['SETTINGS'],
  path: rolePath,
  conditional: true,
  answers: { 204: null },
  errors: ['ROLE_NOT_FOUND', 'ROLE_NOT_MODIFIABLE', 'ROLE_IN_USE'],
})
