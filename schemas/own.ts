import { roleReference } from './assignments.ts'
import * as atom from './atoms.ts'
import { contract, nullable, object } from './contract.ts'
import { organisationSettings } from './organisation.ts'
import { user } from './userRecords.ts'

const tag = 'Own account'

const { tags: _tags, actions: _actions, deletion_at: _deletion, ...shown } = user.properties
const always = user.required.filter((name): name is Exclude<typeof name, 'tags'> => name !== 'tags')

/** The caller's own record: without tags and hidden attributes, with the settings of the organisation. */
export const me = object({ ...shown, ...organisationSettings.properties }, [
  ...always,
  'features',
  'languages',
  'default_language',
])

/** A channel as its members see it. */
export const ownChannel = object(
  {
    id: { type: 'string' },
    title: atom.localized,
    description: nullable(atom.localized),
    roles: { type: 'array', items: roleReference },
    can_distribute: { type: 'boolean' },
  },
  ['id', 'title', 'description', 'roles', 'can_distribute'],
)

export const getMe = contract({
  name: 'getMe',
  title: 'Read the own record',
  tag,
  access: 'user',
  scopes: [],
  versioned: true,
  answers: { 200: me },
  errors: [],
})

export const listOwnGroups = contract({
  name: 'listOwnGroups',
  title: 'List the own user groups',
  tag,
  access: 'user',
  scopes: [],
  query: object(atom.cursorPage, []),
  answers: {
    200: object(
      {
        user_groups: {
          type: 'array',
          items: object({ user_group: atom.groupReference, roles: { type: 'array', items: roleReference } }, [
            'user_group',
            'roles',
          ]),
        },
        pagination: atom.cursorPagination,
      },
      ['user_groups', 'pagination'],
    ),
  },
  errors: [],
})

export const listOwnChannels = contract({
  name: 'listOwnChannels',
  title: 'List and search the own channels',
  tag,
  access: 'user',
  scopes: [],
  query: object(
    {
      ...atom.offsetPage,
      search_term: atom.searchTerm,
      can_distribute: { type: 'boolean' },
      sort: atom.sortBy(['CHANNEL_NAME']),
    },
    [],
  ),
  answers: {
    200: object({ channels: { type: 'array', items: ownChannel }, pagination: atom.offsetPagination }, [
      'channels',
      'pagination',
    ]),
  },
  errors: [],
})

export const getOwnChannel = contract({
  name: 'getOwnChannel',
  title: 'Read an own channel',
  tag,
  access: 'user',
  scopes: [],
  path: object({ channel_id: atom.id }, ['channel_id']),
  versioned: true,
  answers: { 200: ownChannel },
  errors: ['CHANNEL_NOT_FOUND'],
})
