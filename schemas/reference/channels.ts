import * as contracts from '../channels.ts'
import { channelGroups, path } from './channelGroups.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import { givenTexts, localizedFields, offsetPage, offsetPaginationFields } from './shared.ts'

const sharedFields = {
  id: ['The id of the channel.', 'safety'],
  status: ['`ACTIVE` channels are in use. `ARCHIVED` ones can be read, and restored.', 'ACTIVE'],
  default_role_id: [
    'The id of the role that members of attached user groups hold, unless another role is sent when the group is attached.',
    'channel-member',
  ],
  created_at: ['When the channel was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: [
    'When the channel last changed: RFC 3339, UTC, milliseconds. Changes of assignments and attached groups do not count.',
    '2026-11-21T09:00:00.000Z',
  ],
} as const

const channelFields = fieldsOf(contracts.channel)({
  ...sharedFields,
  title: ['The title in all its languages.', localizedFields],
  description: ['What the channel is for, in all its languages; empty if there is no description.', localizedFields],
})

/** What creation and patch have in common. */
const input = {
  title: [
    'The title in 1 to 100 languages: each is one line, with at least one visible character.',
    givenTexts(255, 'title'),
  ],
  description: [
    'What the channel is for, in up to 100 languages. Null for none. Title and description together have up to 20,000 characters.',
    givenTexts(1000, 'description'),
  ],
  default_role_id: [
    'The id of an assignable role with the scope `CHANNELS`. Null for the predefined role of a member.',
    'channel-editor',
  ],
} as const

export const channels = describe(contracts, {
  listChannels: {
    text: prose(`
      Lists channels, page by page, each with the texts that fit the caller best. All filters combine with AND; without
      filters, archived channels are listed, too. On AWS a change may show here a moment later; reading a channel by id
      always shows it.`),
    query: {
      ...offsetPage,
      search_term: [
        'Finds channels by title and description, in all languages. Every search word must be the beginning of a word in them; case and accents do not matter. Up to 200 characters.',
        'safety',
      ],
      status: ['Only channels with one of these statuses.', ['ACTIVE']],
      sort: [
        'The order: 1 to 5 values. The first one sorts, each further one sorts the items that are equal by those before it. `CHANNEL_NAME` is the title in the language of the caller, ignoring case and accents. The default is `CHANNEL_NAME_ASC`; ties are sorted by id.',
        ['CHANNEL_NAME_ASC'],
      ],
    },
    send: { status: ['ACTIVE'], page_limit: 3 },
    answers: { 200: 'One page of the channels that match, and their total.' },
    answer: {
      channels: [
        'The channels on this page, in the order asked for.',
        {
          ...sharedFields,
          title: ['The title, in the language that fits the caller best.', localizedFields],
          description: [
            'What the channel is for, in the language that fits the caller best, or null.',
            localizedFields,
          ],
        },
      ],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createChannel: {
    text: prose(`
      Creates a channel, which is \`ACTIVE\` at once.

      **What else changes:** the caller becomes an owner of the channel: they get the predefined owner role
      and may give tasks to its members.

      **Repeating it** with the same \`id\` is refused with 409 \`DUPLICATE_ID\`; without an \`id\` it creates another
      channel.

      **Limits:** a channel cannot be deleted, only archived. A default role must exist, have the scope \`CHANNELS\`,
      and be one that the caller may hand out.`),
    body: {
      ...input,
      id: [
        'The id: 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first. If it is missing or null, the service generates a UUID.',
        'canteen',
      ],
    },
    answers: { 201: 'The channel was created.' },
    answer: channelFields,
    examples: [
      {
        title: 'Create a channel',
        status: 201,
        body: {
          id: 'canteen',
          title: [
            { language: 'en-GB', text: 'Canteen' },
            { language: 'de-DE', text: 'Kantine' },
          ],
          description: [{ language: 'en-GB', text: 'Menus, opening hours, and what else there is to eat' }],
          default_role_id: 'channel-editor',
        },
      },
      { title: 'As little as it takes', status: 201, body: { title: [{ language: 'en-GB', text: 'Lost and found' }] } },
    ],
  },

  getChannel: {
    text: prose(`
      Reads one channel with its texts in all languages. Archived channels can also be
      read.`),
    path: path('news'),
    answers: { 200: 'The channel.' },
    answer: channelFields,
  },

  updateChannel: {
    text: prose(`
      Changes a channel by a merge patch (RFC 7396): fields that you leave out stay, null clears a field or restores its
      default. The lists \`title\` and \`description\` are replaced as a whole. You can send the record back as you read it: \`id\`, \`status\` and the times are ignored.

      **Allowed** while the channel is \`ACTIVE\`. For an archived one every patch is refused with 409 \`CHANNEL_ARCHIVED\`,
      even one that would change nothing.

      **What else changes:** nothing. Another \`default_role_id\` applies to groups that are attached from now on; groups
      attached before keep their role.

      **Repeating it** is safe: a patch that changes nothing answers 200 and keeps \`updated_at\`. Two changes of different
      fields at the same time are both applied.`),
    path: path('floor'),
    body: {
      ...input,
      id: ['Ignored.', 'floor'],
      status: ['Ignored: archive or restore the channel.', 'ACTIVE'],
      created_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      updated_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
    },
    answers: { 200: 'The channel after the change; unchanged if there was nothing to change.' },
    answer: channelFields,
    examples: [
      {
        title: 'Change the texts',
        status: 200,
        body: {
          title: [
            { language: 'en-GB', text: 'Halls and yard' },
            { language: 'de-DE', text: 'Halle und Hof' },
          ],
          description: [{ language: 'en-GB', text: 'What everybody in production has to know today' }],
        },
      },
      { title: 'Change the default role', status: 200, body: { default_role_id: 'channel-editor' } },
      { title: 'Bring the default back', status: 200, body: { default_role_id: null, description: null } },
    ],
  },

  archiveChannel: {
    text: prose(`
      Archives a channel: it can be read, but not used. Changes of the channel, new
      assignments, and attaching user groups are refused with 409 \`CHANNEL_ARCHIVED\`, and no task can be given to its
      members (400 \`UNKNOWN_CHANNEL_ID\`).

      **Allowed** while the channel is \`ACTIVE\`.

      **What else changes:** nothing. Roles and attached groups stay as they are; roles can still be removed, and groups detached. Tasks that were given to the members stay with them.

      **Repeating it** is refused with 409 \`CHANNEL_ARCHIVED\`.`),
    path: path('relocation'),
    answers: { 200: 'The channel, now `ARCHIVED`.' },
    answer: channelFields,
  },

  restoreChannel: {
    text: prose(`
      Restores an archived channel: it can be used again, with the roles and attached groups that it has now.

      **Allowed** while the channel is \`ARCHIVED\`. **Repeating it** is refused with 409 \`CHANNEL_NOT_ARCHIVED\`.`),
    path: path('summer-2024'),
    answers: { 200: 'The channel, now `ACTIVE`.' },
    answer: channelFields,
  },

  ...channelGroups,
})
