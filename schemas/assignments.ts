import * as atom from './atoms.ts'
import { nullable, object } from './contract.ts'

export const roleScopes = ['ORGANISATION', 'USER_GROUPS', 'CHANNELS'] as const
export const predefinedRoleTypes = ['USER_GROUP_MEMBER', 'USER_GROUP_OWNER', 'CHANNEL_MEMBER', 'CHANNEL_OWNER'] as const

/** A role in assignments. */
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

/** A list of the roles that the caller may assign, by title. */
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

/** Sort orders of lists of users with roles. */
export const memberSort = atom.sortBy(['USER_FIRST_NAME', 'USER_LAST_NAME'])
