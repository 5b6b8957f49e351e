import * as atom from './atoms.ts'
import { nullable, object } from './contract.ts'

/** A user as other records refer to him. */
export const userReference = object(
  {
    id: { type: 'string' },
    is_deleted: { type: 'boolean' },
    first_name: { type: 'string' },
    last_name: { type: 'string' },
    department: { type: ['string', 'null'] },
    profile_picture: nullable(object({ file_id: { type: 'string' } }, ['file_id'])),
  },
  ['id', 'is_deleted', 'first_name', 'last_name', 'department', 'profile_picture'],
)

/** A user group as other records refer to it. */
export const groupReference = object(
  { id: { type: 'string' }, title: atom.localized, status: { type: 'string', enum: ['ACTIVE', 'ARCHIVED'] } },
  ['id', 'title', 'status'],
)

export const roleScopes = ['ORGANISATION', 'USER_GROUPS', 'CHANNELS'] as const
export const predefinedRoleTypes = ['USER_GROUP_MEMBER', 'USER_GROUP_OWNER', 'CHANNEL_MEMBER', 'CHANNEL_OWNER'] as const

/** A role as assignments refer to it. */
export const roleReference = object(
  {
    id: { type: 'string' },
    title: atom.localized,
    description: nullable(atom.localized),
    type: { type: 'string', enum: ['PREDEFINED', 'CUSTOM'] },
    predefined_role_type: { type: ['string', 'null'], enum: [...predefinedRoleTypes, null] },
    scope: { type: 'string', enum: roleScopes },
    permission_count: { type: 'integer' },
  },
  ['id', 'title', 'description', 'type', 'predefined_role_type', 'scope', 'permission_count'],
)

export const allowed = object({ allowed: { type: 'boolean' } }, ['allowed'])

/** Roles that the caller may hand out, by title. */
export const assignableRoles = object(
  {
    assignable_roles: {
      type: 'array',
      items: object({ role_id: { type: 'string' }, role: roleReference }, ['role_id']),
    },
    pagination: atom.offsetPagination,
  },
  ['assignable_roles', 'pagination'],
)

/** Query of an assignable-roles list. */
export const assignableRolesQuery = object(
  {
    ...atom.offsetPage,
    sort: atom.sortBy(['TITLE']),
    embed: { type: 'array', items: { type: 'string', enum: ['ROLE'] } },
  },
  [],
)

/** Orders of lists of people with roles. */
export const memberSort = atom.sortBy(['USER_FIRST_NAME', 'USER_LAST_NAME'])
