import * as atom from './atoms.ts'
import { contract, nullable, object } from './contract.ts'
import { trims } from './sections.ts'

const tag = 'Channels'
const channelPath = object({ channel_id: atom.id }, ['channel_id'])
const status = { type: 'string', enum: ['ACTIVE', 'ARCHIVED'] } as const

const sharedFields = {
  id: { type: 'string' },
  status,
  default_role_id: { type: 'string' },
  created_at: atom.moment,
  updated_at: atom.moment,
} as const
const names = ['id', 'title', 'description', 'status', 'default_role_id', 'created_at', 'updated_at'] as const

/** A channel with its texts in all languages. */
export const channel = object({ ...sharedFields, title: atom.localizedTexts, description: atom.localizedTexts }, names)

/** A channel as lists show it: each text in the one language that fits the caller best. */
const listedChannel = object({ ...sharedFields, title: atom.localized, description: nullable(atom.localized) }, names)

const title = atom.titleInput(255)
const description = atom.descriptionInput(1000)

export const listChannels = contract({
  name: 'listChannels',
  title: 'List and search channels',
  tag,
  access: 'administrator',
  scopes: ['READ', 'CHANNELS'],
  query: object(
    {
      ...atom.offsetPage,
      search_term: atom.searchTerm,
      status: { type: 'array', items: status },
      sort: atom.sortBy(['CHANNEL_NAME', 'CREATED_AT']),
    },
    [],
  ),
  answers: {
    200: object({ channels: { type: 'array', items: listedChannel }, pagination: atom.offsetPagination }, [
      'channels',
      'pagination',
    ]),
  },
  errors: [],
})

export const createChannel = contract({
  name: 'createChannel',
  title: 'Create a channel, owned by the caller',
  tag,
  access: 'administrator',
  scopes: ['CHANNELS'],
  body: object({ id: nullable(atom.id), title, description, default_role_id: nullable(atom.reference) }, ['title']),
  trims: trims.channels,
  versioned: true,
  repeatable: 'CHANNEL_NOT_FOUND',
  answers: { 201: channel },
  errors: ['LANGUAGE_NOT_ENABLED', 'ROLE_NOT_FOUND', 'ROLE_NOT_ASSIGNABLE', 'DUPLICATE_ID'],
})

export const getChannel = contract({
  name: 'getChannel',
  title: 'Read a channel',
  tag,
  access: 'administrator',
  scopes: ['READ', 'CHANNELS'],
  path: channelPath,
  versioned: true,
  answers: { 200: channel },
  errors: ['CHANNEL_NOT_FOUND'],
})

export const updateChannel = contract({
  name: 'updateChannel',
  title: 'Update a channel',
  tag,
  access: 'administrator',
  scopes: ['CHANNELS'],
  path: channelPath,
  body: object(
    {
      title,
      description,
      default_role_id: nullable(atom.reference),
      // Fields of the record that clients may send back.
      id: {},
      status: {},
      created_at: {},
      updated_at: {},
    },
    [],
  ),
  mergePatch: true,
  trims: trims.channels,
  versioned: true,
  conditional: true,
  answers: { 200: channel },
  errors: ['LANGUAGE_NOT_ENABLED', 'CHANNEL_NOT_FOUND', 'CHANNEL_ARCHIVED', 'ROLE_NOT_FOUND', 'ROLE_NOT_ASSIGNABLE'],
})

export const archiveChannel = contract({
  name: 'archiveChannel',
  title: 'Archive a channel',
  tag,
  access: 'administrator',
  scopes: ['CHANNELS'],
  path: channelPath,
  versioned: true,
  conditional: true,
  answers: { 200: channel },
  errors: ['CHANNEL_NOT_FOUND', 'CHANNEL_ARCHIVED'],
})

export const restoreChannel = contract({
  ...archiveChannel,
  name: 'restoreChannel',
  title: 'Restore an archived channel',
  errors: ['CHANNEL_NOT_FOUND', 'CHANNEL_NOT_ARCHIVED'],
})

/** A user group attached to a channel: its members hold the role there. */
export const channelGroup = object(
  { id: { type: 'string' }, role_id: { type: 'string' }, user_group: atom.groupReference },
  ['id', 'role_id', 'user_group'],
)

export const listChannelGroups = contract({
  name: 'listChannelGroups',
  title: 'List the user groups attached to a channel',
  tag,
  access: 'administrator',
  scopes: ['READ', 'CHANNELS'],
  path: channelPath,
  query: object(atom.offsetPage, []),
  answers: {
    200: object({ assignments: { type: 'array', items: channelGroup }, pagination: atom.offsetPagination }, [
      'assignments',
      'pagination',
    ]),
  },
  errors: ['CHANNEL_NOT_FOUND'],
})

export const createChannelGroup = contract({
  name: 'createChannelGroup',
  title: 'Attach a user group to a channel',
  tag,
  access: 'administrator',
  scopes: ['CHANNELS'],
  path: channelPath,
  body: object({ user_group_id: atom.reference, role_id: nullable(atom.reference) }, ['user_group_id']),
  versioned: true,
  repeatable: 'CHANNEL_USER_GROUP_NOT_FOUND',
  answers: { 201: channelGroup },
  errors: [
    'CHANNEL_NOT_FOUND',
    'CHANNEL_ARCHIVED',
    'INVALID_USER_GROUP',
    'ROLE_NOT_FOUND',
    'ROLE_NOT_ASSIGNABLE',
    'ASSIGNMENT_ALREADY_EXISTS',
  ],
})

export const deleteChannelGroup = contract({
  name: 'deleteChannelGroup',
  title: 'Detach a user group from a channel',
  tag,
  access: 'administrator',
  scopes: ['CHANNELS'],
  path: object({ channel_id: atom.id, user_group_id: atom.id }, ['channel_id', 'user_group_id']),
  conditional: true,
  answers: { 204: null },
  errors: ['CHANNEL_NOT_FOUND', 'CHANNEL_USER_GROUP_NOT_FOUND'],
})
