import * as contracts from '../own.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import { settingsFields } from './organisation.ts'
import {
  cursorPage,
  cursorPaginationFields,
  groupReferenceFields,
  localizedFields,
  offsetPage,
  offsetPaginationFields,
  roleReferenceFields,
} from './shared.ts'
import { userFields } from './userRecords.ts'

const { tags: _tags, actions: _actions, deletion_at: _deletion, ...shown } = userFields

const ownChannelFields = fieldsOf(contracts.ownChannel)({
  id: ['The id of the channel.', 'safety'],
  title: ['The title, in the language that fits the caller best.', localizedFields],
  description: ['What the channel is for, in the language that fits the caller best, or null.', localizedFields],
  roles: ['The roles that the caller holds on the channel, directly or through user groups.', roleReferenceFields],
  can_distribute: [
    'Whether the caller may give tasks to the members of the channel: owners may, while the feature `tasks` is on.',
    true,
  ],
})

export const own = describe(contracts, {
  getMe: {
    text: prose(`
      Reads the caller's own record, and the settings of the organisation that an app needs to start. Tags are not shown, nor
      are attributes whose definition is \`HIDDEN\`. The \`etag\` depends on what is shown, and on nothing else.

      A change of the organisation's settings shows here within five seconds.`),
    answers: { 200: 'The record of the caller.' },
    answer: fieldsOf(contracts.me)({
      ...shown,
      attributes: ['The values of the attributes that the caller may see, each attribute once.', shown.attributes[1]],
      default_language: settingsFields.default_language,
      languages: settingsFields.languages,
      features: settingsFields.features,
    }),
  },
  listOwnGroups: {
    text: prose(`
      Lists the user groups in which the caller holds a role, by their ids, with these roles. Archived groups are listed, too.
      Where a role comes from is not shown.`),
    query: cursorPage,
    send: { page_limit: 2 },
    answers: { 200: 'One page of the groups of the caller.' },
    answer: {
      user_groups: [
        'The groups on this page.',
        {
          user_group: ['The user group.', groupReferenceFields],
          roles: ['The roles that the caller holds in the group.', roleReferenceFields],
        },
      ],
      pagination: ['Where the next page begins.', cursorPaginationFields],
    },
  },
  listOwnChannels: {
    text: prose(`
      Lists the active channels on which the caller holds a role, directly or as a member of an attached user group. All
      filters combine with AND. On AWS a change may show here a moment later; reading a channel by id always shows it.`),
    query: {
      ...offsetPage,
      search_term: [
        'Finds channels by title, in all languages. Every search word must be the beginning of a word in it; case and accents do not matter. Up to 200 characters.',
        'safety',
      ],
      can_distribute: ['Only channels to which the caller may give tasks, or, with `false`, may not.', true],
      sort: [
        'The order. `CHANNEL_NAME` is the title in the language of the caller, ignoring case and accents. The default is `CHANNEL_NAME_ASC`; ties are sorted by id.',
        ['CHANNEL_NAME_ASC'],
      ],
    },
    send: { page_limit: 2 },
    answers: { 200: 'One page of the channels that match, and their total.' },
    answer: {
      channels: ['The channels on this page, in the order asked for.', ownChannelFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },
  getOwnChannel: {
    text: prose(`
      Reads an active channel on which the caller holds a role, directly or as a member of an attached user group. Every
      other channel is 404 \`CHANNEL_NOT_FOUND\`. The \`etag\` depends on what is shown, and on nothing else.`),
    path: { channel_id: ['The id of the channel.', 'onboarding'] },
    answers: { 200: 'The channel.' },
    answer: ownChannelFields,
  },
})
