import * as contracts from '../groups.ts'
import { describe, prose } from './describe.ts'
import { groupLife } from './groupLife.ts'
import { givenGroup, groupEmbed, groupFacts, groupFields, groupPath } from './groupRecords.ts'
import { localizedFields, offsetPage, offsetPaginationFields } from './shared.ts'

export const groups = describe(contracts, {
  listGroups: {
    text: prose(`
      Lists user groups, page by page, each with the texts that fit the caller best. All filters combine with AND;
      without filters, all groups are listed, including archived ones. On AWS a change may show here a moment later; reading a
      group by id always shows it.`),
    query: {
      ...offsetPage,
      search_term: [
        'Finds groups by title and description, in all languages, and by external id. Every search word must be the beginning of a word in them; case and accents do not matter. Up to 200 characters.',
        'lager',
      ],
      parent_id: ['Only groups directly below one of these, up to 100 ids.', ['operations']],
      type: ['Only groups of one of these types.', ['CUSTOM']],
      status: ['Only groups with one of these statuses.', ['ACTIVE']],
      external_id: ['The whole external id. Up to 255 characters.', 'ORG-WAREHOUSE'],
      sort: [
        'The order: 1 to 5 values. The first one sorts, each further one sorts the items that are equal by those before it. The default is `GROUP_NAME_ASC`, by the title in the language of the caller; ties are sorted by id.',
        ['STATUS_ASC', 'GROUP_NAME_ASC'],
      ],
      embed: groupEmbed,
    },
    send: { parent_id: ['operations'], embed: ['NUMBER_OF_CONTAINED_USERS'] },
    answers: { 200: 'One page of the groups that match, and their total.' },
    answer: {
      groups: [
        'The groups on this page, in the order asked for.',
        {
          ...groupFacts,
          title: ['The title, in the language that fits the caller best.', localizedFields],
          description: ['What the group is for, in the language that fits the caller best, or null.', localizedFields],
        },
      ],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createGroup: {
    text: prose(`
      Creates a user group of type \`CUSTOM\` below another one, without members.

      **Allowed** below every active group; below an archived one it is refused with 409 \`USER_GROUP_ARCHIVED\`.

      **What else changes:** users who join the new group also count as members of the groups above it, and of the
      channels that these are attached to.

      **Repeating it** with the same \`id\` is refused with 409 \`DUPLICATE_ID\`; without an \`id\` it creates another
      group. The id of a deleted group can be used again a minute or two after the deletion.`),
    query: { embed: groupEmbed },
    body: {
      ...givenGroup,
      id: [
        'The id: 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first. If it is missing or null, the service generates a UUID.',
        'night-shift',
      ],
      parent_id: ['The id of the active group above the new one.', 'warehouse'],
    },
    answers: { 201: 'The group was created.' },
    answer: groupFields,
    examples: [
      {
        title: 'Create a user group',
        status: 201,
        body: {
          id: 'night-shift',
          external_id: 'ORG-NIGHT-SHIFT',
          title: [
            { language: 'en-GB', text: 'Night shift' },
            { language: 'de-DE', text: 'Nachtschicht' },
          ],
          description: [{ language: 'en-GB', text: 'From ten in the evening to six in the morning' }],
          parent_id: 'warehouse',
        },
      },
      {
        title: 'As little as it takes',
        status: 201,
        body: { title: [{ language: 'en-GB', text: 'Lisbon' }], parent_id: 'sites' },
      },
    ],
  },

  getGroup: {
    text: prose(`
      Reads one user group with its texts in all languages.`),
    path: groupPath('warehouse'),
    query: { embed: groupEmbed },
    send: { embed: ['PATH', 'ACTIONS'] },
    answers: { 200: 'The user group.' },
    answer: groupFields,
  },

  updateGroup: {
    text: prose(`
      Changes a user group by a merge patch (RFC 7396): fields that you leave out stay, null clears a field. The lists
      \`title\` and \`description\` are replaced as a whole. Another \`parent_id\` moves the group, with all groups below it,
      to that parent.

      **Allowed** while the group is \`ACTIVE\`. The root and the group of all users cannot move (403
      \`USER_GROUP_IS_PREDEFINED\`); their texts and external ids can change. A group can only move below an active group,
      and never below itself (409 \`PARENT_ID_UPDATE_WOULD_PRODUCE_A_CYCLE\`). You can send the record back as you read it: fields that cannot be changed here are ignored.

      **What else changes:** after a move the members no longer count as members of the groups above the old place, but of
      those above the new one, and of the channels that these are attached to. New texts show everywhere.

      **Repeating it** is safe: a patch that changes nothing answers 200 and keeps \`updated_at\`. Two changes of different
      fields at the same time are both applied.`),
    path: groupPath('first-aiders'),
    query: { embed: groupEmbed },
    body: {
      ...givenGroup,
      parent_id: ['The id of an active group to move this one below. Null moves it below the root.', 'corporate'],
      id: ['Ignored.', 'first-aiders'],
      status: ['Ignored: use *archive* and *restore*.', 'ACTIVE'],
      type: ['Ignored.', 'CUSTOM'],
      number_of_contained_users: ['Ignored.', 48],
      path: ['Ignored.', []],
      actions: ['Ignored.', {}],
      created_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      updated_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
    },
    answers: { 200: 'The group after the change; unchanged if there was nothing to change.' },
    answer: groupFields,
    examples: [
      {
        title: 'Change the texts',
        status: 200,
        body: {
          description: [
            { language: 'en-GB', text: 'Trained within the last year' },
            { language: 'de-DE', text: 'Im letzten Jahr geschult' },
          ],
        },
      },
      { title: 'Move below another group', status: 200, body: { parent_id: 'corporate' } },
      { title: 'Clear a field', status: 200, body: { external_id: null, description: null } },
    ],
  },

  ...groupLife,
})
