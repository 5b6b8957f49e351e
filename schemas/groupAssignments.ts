import { assignableRoles, assignableRolesQuery, memberSort } from './assignments.ts'
import * as atom from './atoms.ts'
import { contract, object } from './contract.ts'
import { entityTags } from './patterns.ts'

const tag = 'User group assignments'
const embed = { type: 'array', items: { type: 'string', enum: ['ACTIONS'] } } as const
const embedQuery = object({ embed }, [])
const groupPath = object({ group_id: atom.id }, ['group_id'])
const assignmentPath = object({ group_id: atom.id, user_id: atom.id, role_id: atom.id }, [
  'group_id',
  'user_id',
  'role_id',
])

const assignmentId = object(
  { group_id: { type: 'string' }, user_id: { type: 'string' }, role_id: { type: 'string' } },
  ['group_id', 'user_id', 'role_id'],
)

/** One role of one user in one group. */
export const groupAssignment = object(
  {
    id: assignmentId,
    source: { type: 'string', enum: ['PRIMARY', 'MANUAL', 'RULE'] },
    user: atom.userReference,
    rule_ids: { type: 'array', items: { type: 'string' } },
    actions: object({ delete: atom.allowed }, ['delete']),
  },
  ['id', 'source', 'user'],
)

const creation = object({ role_id: atom.reference, user_id: atom.reference }, ['role_id', 'user_id'])

const creationErrors = [
  'USER_GROUP_NOT_FOUND',
  'USER_GROUP_ARCHIVED',
  'UNKNOWN_USER_ID',
  'USER_NOT_ASSIGNABLE',
  'ROLE_DOES_NOT_EXIST',
  'ROLE_HAS_WRONG_PERMISSION_SCOPE',
  'ROLE_NOT_ASSIGNABLE',
  'USER_GROUP_ASSIGNMENT_ALREADY_EXISTS',
] as const

const echoedId = object(
  {
    group_id: { type: ['string', 'null'] },
    user_id: { type: ['string', 'null'] },
    role_id: { type: ['string', 'null'] },
  },
  ['group_id', 'user_id', 'role_id'],
)
const result = {
  id: { ...echoedId, type: ['object', 'null'] },
  status: { type: 'integer' },
  body: groupAssignment,
  error: atom.problem,
} as const
const results = { type: 'array', items: object(result, ['id', 'status']) } as const
/** Deletions are conditional: their results name the version that was deleted. */
const deletions = { type: 'array', items: object({ ...result, etag: { type: 'string' } }, ['id', 'status']) } as const

export const createGroupAssignments = contract({
  name: 'createGroupAssignments',
  title: 'Give up to 100 users roles in user groups',
  tag,
  access: 'administrator',
  scopes: ['USER_GROUPS'],
  query: embedQuery,
  body: atom.batchOf,
  item: object({ group_id: atom.reference, body: creation }, ['group_id', 'body']),
  itemId: { group_id: ['group_id'], user_id: ['body', 'user_id'], role_id: ['body', 'role_id'] },
  answers: { 200: object({ items: results }, ['items']) },
  errors: [],
})

export const deleteGroupAssignments = contract({
  name: 'deleteGroupAssignments',
  title: 'Remove up to 100 roles in user groups',
  tag,
  access: 'administrator',
  scopes: ['USER_GROUPS'],
  query: embedQuery,
  body: atom.batchOf,
  item: object(
    {
      id: object({ group_id: atom.reference, user_id: atom.reference, role_id: atom.reference }, [
        'group_id',
        'user_id',
        'role_id',
      ]),
      if_match: entityTags,
    },
    ['id'],
  ),
  itemId: { group_id: ['id', 'group_id'], user_id: ['id', 'user_id'], role_id: ['id', 'role_id'] },
  conditional: true,
  answers: { 200: object({ items: deletions }, ['items']) },
  errors: [],
})

export const listAssignableGroupRoles = contract({
  name: 'listAssignableGroupRoles',
  title: 'List the roles that the caller may hand out in a user group',
  tag,
  access: 'administrator',
  scopes: ['READ', 'USER_GROUPS'],
  path: groupPath,
  query: assignableRolesQuery,
  answers: { 200: assignableRoles },
  errors: ['USER_GROUP_NOT_FOUND'],
})

export const listGroupAssignments = contract({
  name: 'listGroupAssignments',
  title: 'List and search the assignments of a user group',
  tag,
  access: 'administrator',
  scopes: ['READ', 'USER_GROUPS'],
  path: groupPath,
  query: object(
    {
      ...atom.offsetPage,
      search_term: atom.searchTerm,
      role_ids: { type: 'array', items: atom.reference, maxItems: 100 },
      sort: memberSort,
      embed,
    },
    [],
  ),
  answers: {
    200: object(
      {
        assignments: { type: 'array', items: groupAssignment },
        pagination: atom.offsetPagination,
        actions: object({ create: atom.allowed }, ['create']),
      },
      ['assignments', 'pagination'],
    ),
  },
  errors: ['USER_GROUP_NOT_FOUND'],
})

export const createGroupAssignment = contract({
  name: 'createGroupAssignment',
  title: 'Give a user a role in a user group',
  tag,
  access: 'administrator',
  scopes: ['USER_GROUPS'],
  path: groupPath,
  query: embedQuery,
  body: creation,
  versioned: true,
  repeatable: 'USER_GROUP_ASSIGNMENT_NOT_FOUND',
  answers: { 201: groupAssignment },
  errors: creationErrors,
})

export const getGroupAssignment = contract({
  name: 'getGroupAssignment',
  title: 'Read an assignment of a user group',
  tag,
  access: 'administrator',
  scopes: ['READ', 'USER_GROUPS'],
  path: assignmentPath,
  query: embedQuery,
  versioned: true,
  answers: { 200: groupAssignment },
  errors: ['USER_GROUP_NOT_FOUND', 'USER_GROUP_ASSIGNMENT_NOT_FOUND'],
})

export const deleteGroupAssignment = contract({
  name: 'deleteGroupAssignment',
  title: "Remove a user's role in a user group",
  tag,
  access: 'administrator',
  scopes: ['USER_GROUPS'],
  path: assignmentPath,
  query: embedQuery,
  versioned: true,
  conditional: true,
  answers: { 200: groupAssignment },
  errors: ['USER_GROUP_NOT_FOUND', 'USER_GROUP_ASSIGNMENT_NOT_FOUND', 'DERIVED_ASSIGNMENT_DELETION_FORBIDDEN'],
})
