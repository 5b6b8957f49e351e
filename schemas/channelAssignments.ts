import { assignableRoles, assignableRolesQuery, memberSort, roleReference } from './assignments.ts'
import * as atom from './atoms.ts'
import { contract, object } from './contract.ts'

const tag = 'Channel assignments'
const embed = { type: 'array', items: { type: 'string', enum: ['USER', 'ROLE', 'ACTIONS'] } } as const
const embedQuery = object({ embed }, [])
const channelPath = object({ channel_id: atom.id }, ['channel_id'])
const userPath = object({ channel_id: atom.id, user_id: atom.id }, ['channel_id', 'user_id'])
const assignmentPath = object({ channel_id: atom.id, user_id: atom.id, role_id: atom.id }, [
  'channel_id',
  'user_id',
  'role_id',
])

/** Where a role on a channel can come from. */
const source = { type: 'string', enum: ['MANUAL', 'USER_GROUP'] } as const

/** One role of one user on one channel, held directly or through a user group. */
export const channelAssignment = object(
  {
    id: object({ channel_id: { type: 'string' }, user_id: { type: 'string' }, role_id: { type: 'string' } }, [
      'channel_id',
      'user_id',
      'role_id',
    ]),
    source,
    user: atom.userReference,
    role: roleReference,
    actions: object({ delete: atom.allowed }, ['delete']),
  },
  ['id', 'source'],
)

export const listAssignableChannelRoles = contract({
  name: 'listAssignableChannelRoles',
  title: 'List the roles that the caller may hand out on a channel',
  tag,
  access: 'administrator',
  scopes: ['READ', 'CHANNELS'],
  path: channelPath,
  query: assignableRolesQuery,
  answers: { 200: assignableRoles },
  errors: ['CHANNEL_NOT_FOUND'],
})

export const listChannelAssignments = contract({
  name: 'listChannelAssignments',
  title: 'List and search who holds which role on a channel',
  tag,
  access: 'administrator',
  scopes: ['READ', 'CHANNELS'],
  path: channelPath,
  query: object(
    {
      ...atom.offsetPage,
      search_term: atom.searchTerm,
      role_id: { type: 'array', items: atom.reference, maxItems: 100 },
      source: { type: 'array', items: source },
      sort: memberSort,
      embed,
    },
    [],
  ),
  answers: {
    200: object({ assignments: { type: 'array', items: channelAssignment }, pagination: atom.offsetPagination }, [
      'assignments',
      'pagination',
    ]),
  },
  errors: ['CHANNEL_NOT_FOUND'],
})

export const createChannelAssignment = contract({
  name: 'createChannelAssignment',
  title: 'Give a user a role on a channel',
  tag,
  access: 'administrator',
  scopes: ['CHANNELS'],
  path: userPath,
  query: embedQuery,
  body: object({ role_id: atom.reference }, ['role_id']),
  versioned: true,
  repeatable: 'CHANNEL_USER_ASSIGNMENT_NOT_FOUND',
  answers: { 200: channelAssignment, 201: channelAssignment },
  errors: ['CHANNEL_NOT_FOUND', 'CHANNEL_ARCHIVED', 'USER_NOT_ASSIGNABLE', 'ROLE_NOT_FOUND', 'ROLE_NOT_ASSIGNABLE'],
})

export const getChannelAssignment = contract({
  name: 'getChannelAssignment',
  title: "Read a user's role on a channel",
  tag,
  access: 'administrator',
  scopes: ['READ', 'CHANNELS'],
  path: assignmentPath,
  query: embedQuery,
  versioned: true,
  answers: { 200: channelAssignment },
  errors: ['CHANNEL_NOT_FOUND', 'CHANNEL_USER_ASSIGNMENT_NOT_FOUND'],
})

export const deleteChannelAssignment = contract({
  name: 'deleteChannelAssignment',
  title: "Remove a user's role on a channel",
  tag,
  access: 'administrator',
  scopes: ['CHANNELS'],
  path: assignmentPath,
  query: embedQuery,
  versioned: true,
  conditional: true,
  answers: { 200: channelAssignment },
  errors: [
    'CHANNEL_NOT_FOUND',
    'CHANNEL_USER_ASSIGNMENT_NOT_FOUND',
    'ROLE_ASSIGNMENT_NOT_DELETABLE',
    'ROLE_NOT_DELETABLE',
  ],
})
