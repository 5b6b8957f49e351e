import * as atom from './atoms.ts'
import { contract, nullable, object } from './contract.ts'
import { trims } from './sections.ts'

const tag = 'User groups'
const groupPath = object({ group_id: atom.id }, ['group_id'])
const embed = {
  type: 'array',
  items: { type: 'string', enum: ['NUMBER_OF_CONTAINED_USERS', 'PATH', 'ACTIONS'] },
} as const
const embedQuery = object({ embed }, [])
const type = { type: 'string', enum: ['ROOT', 'ALL_USERS', 'CUSTOM'] } as const
const status = { type: 'string', enum: ['ACTIVE', 'ARCHIVED'] } as const

/** The properties that are the same in lists and in single answers. */
const properties = {
  id: { type: 'string' },
  external_id: { type: ['string', 'null'] },
  status,
  type,
  parent_id: { type: ['string', 'null'] },
  number_of_contained_users: {
    type: 'integer',
  },
  path: {
    type: 'array',
    items: object({ id: { type: 'string' }, title: atom.localized }, ['id', 'title']),
  },
  actions: object(
    { update: atom.allowed, move: atom.allowed, archive: atom.allowed, restore: atom.allowed, delete: atom.allowed },
    ['update', 'move', 'archive', 'restore', 'delete'],
  ),
  created_at: atom.moment,
  updated_at: atom.moment,
} as const
const required = [
  'id',
  'external_id',
  'title',
  'description',
  'status',
  'type',
  'parent_id',
  'created_at',
  'updated_at',
] as const

/** A user group with its texts in all languages. */
export const group = object({ ...properties, title: atom.localizedTexts, description: atom.localizedTexts }, required)
const groupEntry = object({ ...properties, title: atom.localized, description: nullable(atom.localized) }, required)

const title = atom.titleInput(255)
const description = atom.descriptionInput(1000)
const externalId = nullable(atom.line(1, 255))

const creation = object(
  { id: nullable(atom.id), external_id: externalId, title, description, parent_id: atom.reference },
  ['title', 'parent_id'],
)

const patch = object(
  {
    external_id: externalId,
    title,
    description,
    parent_id: nullable(atom.reference),
    id: atom.readOnly,
    status: atom.readOnly,
    type: atom.readOnly,
    number_of_contained_users: atom.readOnly,
    path: atom.readOnly,
    actions: atom.readOnly,
    created_at: atom.readOnly,
    updated_at: atom.readOnly,
  },
  [],
)

export const listGroups = contract({
  name: 'listGroups',
  title: 'List, search and filter user groups',
  tag,
  access: 'administrator',
  scopes: ['READ', 'USER_GROUPS'],
  query: object(
    {
      ...atom.offsetPage,
      search_term: atom.searchTerm,
      parent_id: { type: 'array', items: atom.reference, maxItems: 100 },
      type: { type: 'array', items: type },
      status: { type: 'array', items: status },
      external_id: { type: 'string', maxLength: 255 },
      sort: atom.sortBy(['GROUP_NAME', 'STATUS', 'CREATED_AT', 'UPDATED_AT']),
      embed,
    },
    [],
  ),
  answers: {
    200: object({ groups: { type: 'array', items: groupEntry }, pagination: atom.offsetPagination }, [
      'groups',
      'pagination',
    ]),
  },
  errors: [],
})

export const createGroup = contract({
  name: 'createGroup',
  title: 'Create a user group',
  tag,
  access: 'administrator',
  scopes: ['USER_GROUPS'],
  query: embedQuery,
  body: creation,
  trims: trims.user_groups,
  versioned: true,
  repeatable: 'USER_GROUP_NOT_FOUND',
  answers: { 201: group },
  errors: [
    'LANGUAGE_NOT_ENABLED',
    'UNKNOWN_USER_GROUP_ID',
    'USER_GROUP_ARCHIVED',
    'DUPLICATE_ID',
    'DUPLICATE_EXTERNAL_ID',
  ],
})

export const getGroup = contract({
  name: 'getGroup',
  title: 'Read a user group',
  tag,
  access: 'administrator',
  scopes: ['READ', 'USER_GROUPS'],
  path: groupPath,
  query: embedQuery,
  versioned: true,
  answers: { 200: group },
  errors: ['USER_GROUP_NOT_FOUND'],
})

export const updateGroup = contract({
  name: 'updateGroup',
  title: 'Update a user group, or move it below another one',
  tag,
  access: 'administrator',
  scopes: ['USER_GROUPS'],
  path: groupPath,
  query: embedQuery,
  body: patch,
  mergePatch: true,
  trims: trims.user_groups,
  versioned: true,
  conditional: true,
  answers: { 200: group },
  errors: [
    'LANGUAGE_NOT_ENABLED',
    'UNKNOWN_USER_GROUP_ID',
    'USER_GROUP_NOT_FOUND',
    'USER_GROUP_ARCHIVED',
    'USER_GROUP_IS_PREDEFINED',
    'PARENT_ID_UPDATE_WOULD_PRODUCE_A_CYCLE',
    'DUPLICATE_EXTERNAL_ID',
  ],
})

export const archiveGroup = contract({
  name: 'archiveGroup',
  title: 'Archive a user group',
  tag,
  access: 'administrator',
  scopes: ['USER_GROUPS'],
  path: groupPath,
  query: embedQuery,
  versioned: true,
  conditional: true,
  answers: { 200: group },
  errors: ['USER_GROUP_NOT_FOUND', 'USER_GROUP_IS_PREDEFINED', 'USER_GROUP_ARCHIVED'],
})

export const restoreGroup = contract({
  ...archiveGroup,
  name: 'restoreGroup',
  title: 'Restore an archived user group',
  errors: ['USER_GROUP_NOT_FOUND', 'USER_GROUP_NOT_ARCHIVED', 'USER_GROUP_ARCHIVED'],
})

export const deleteGroup = contract({
  name: 'deleteGroup',
  title: 'Delete an archived user group with all below it',
  tag,
  access: 'administrator',
  scopes: ['USER_GROUPS'],
  path: groupPath,
  conditional: true,
  answers: { 204: null },
  errors: ['USER_GROUP_NOT_FOUND', 'USER_GROUP_IS_PREDEFINED', 'USER_GROUP_NOT_ARCHIVED'],
})
