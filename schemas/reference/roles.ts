import * as contracts from '../roles.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import { givenTexts, localizedFields, offsetPage, offsetPaginationFields } from './shared.ts'

const sharedFields = {
  id: ['The id of the role.', 'group-coordinator'],
  external_id: ['The id of the role in another system, or null. Unique among roles.', 'ERP-COORDINATOR'],
  scope: [
    'Where the role can be held: in user groups (`USER_GROUPS`) or on channels (`CHANNELS`). Roles with the scope `ORGANISATION` cannot be handed out yet.',
    'USER_GROUPS',
  ],
  type: ['`PREDEFINED` roles exist in every organisation; `CUSTOM` ones were created.', 'CUSTOM'],
  predefined_role_type: ['Which of the predefined roles this is; null for a custom role.', null],
  permissions: [
    'The names of the permissions. They are stored for applications that use them; Rollcall itself does not.',
    ['GROUP_VIEW', 'GROUP_MEMBERS_UPDATE'],
  ],
  assignable: ['Whether administrators may hand the role out.', true],
  created_at: ['When the role was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: [
    'When the role last changed: RFC 3339, UTC, milliseconds. A call that changes nothing keeps it.',
    '2026-11-21T09:00:00.000Z',
  ],
} as const

const roleFields = fieldsOf(contracts.role)({
  ...sharedFields,
  title: ['The title in all its languages.', localizedFields],
  description: ['What the role is for, in all its languages; empty if there is no description.', localizedFields],
})

const rolePath = (example: string) => ({ role_id: ['The id of the role.', example] }) as const

/** What creation and patch have in common. */
const input = {
  external_id: [
    'The id of the role in another system: 1 to 255 characters, without outer white space. Unique among roles. Null for none.',
    'ERP-SHIFT-LEAD',
  ],
  title: [
    'The title in 1 to 100 languages: each is one line, with at least one visible character.',
    givenTexts(120, 'title'),
  ],
  description: [
    'What the role is for, in up to 100 languages. Null for none. Title and description together have up to 20,000 characters.',
    givenTexts(200, 'description'),
  ],
  permissions: [
    'The whole set of permissions: up to 200 names of 1 to 100 characters, each once. Null for none. Any name is valid.',
    ['GROUP_VIEW', 'GROUP_MEMBERS_UPDATE'],
  ],
  assignable: ['Whether administrators may hand the role out. Null for the default, true.', true],
} as const

export const roles = describe(contracts, {
  listRoles: {
    text: prose(`
      Lists roles, page by page, each with the texts that fit the caller best. Both filters combine with AND; without filters, all
      roles are listed. On AWS a change may show here a moment later; reading a role by id always shows it.`),
    query: {
      ...offsetPage,
      scope: ['Only roles with one of these scopes.', ['USER_GROUPS']],
      type: ['Only roles of one of these types.', ['CUSTOM']],
      sort: [
        'The order, by the title in the language of the caller, ignoring case and accents. The default is `TITLE_ASC`; ties are sorted by id.',
        ['TITLE_ASC'],
      ],
    },
    send: { scope: ['USER_GROUPS'] },
    answers: { 200: 'One page of the roles that match, and their total.' },
    answer: {
      roles: [
        'The roles on this page, in the order asked for.',
        {
          ...sharedFields,
          title: ['The title, in the language that fits the caller best.', localizedFields],
          description: ['What the role is for, in the language that fits the caller best, or null.', localizedFields],
        },
      ],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createRole: {
    text: prose(`
      Creates a role of type \`CUSTOM\`. If it is assignable, it can be handed out at once.

      **Repeating it** with the same \`id\` is refused with 409 \`DUPLICATE_ID\`; without an \`id\` it creates another
      role. The id of a deleted role can be used again.

      **Limits:** the scope can never change. The organisation has four predefined roles; more cannot be created.`),
    body: {
      ...input,
      id: [
        'The id: 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first. If it is missing or null, the service generates a UUID.',
        'shift-lead',
      ],
      scope: ['Where the role can be held. It cannot be changed later.', 'USER_GROUPS'],
      type: ['`CUSTOM`, if it is given at all.', 'CUSTOM'],
    },
    answers: { 201: 'The role was created.' },
    answer: roleFields,
    examples: [
      {
        title: 'Create a role',
        status: 201,
        body: {
          id: 'shift-lead',
          external_id: 'ERP-SHIFT-LEAD',
          title: [
            { language: 'en-GB', text: 'Shift lead' },
            { language: 'de-DE', text: 'Schichtleitung' },
          ],
          description: [{ language: 'en-GB', text: 'Plans the shifts of a team' }],
          scope: 'USER_GROUPS',
          permissions: ['GROUP_VIEW', 'GROUP_MEMBERS_UPDATE'],
        },
      },
      {
        title: 'As little as it takes',
        status: 201,
        body: { title: [{ language: 'en-GB', text: 'Photographer' }], scope: 'CHANNELS' },
      },
    ],
  },

  getRole: {
    text: prose(`
      Reads one role with its title and description in all languages.`),
    path: rolePath('group-coordinator'),
    answers: { 200: 'The role.' },
    answer: roleFields,
  },

  updateRole: {
    text: prose(`
      Changes a role by a merge patch (RFC 7396): fields that you leave out stay, null clears a field or restores its
      default. The lists \`title\`, \`description\` and \`permissions\` are replaced as a whole.

      **Allowed** for every custom role. In a predefined one only \`title\` and \`description\` can change; any other
      change is refused with 403 \`ROLE_NOT_MODIFIABLE\`. You can send the record back as you read it: \`id\`, \`type\`,
      \`predefined_role_type\` and the times are ignored.

      **What else changes:** new texts show everywhere. With \`assignable: false\` the role can no longer be
      handed out; users who hold it keep it.

      **Repeating it** is safe: a patch that changes nothing answers 200 and keeps \`updated_at\`. Two changes of different
      fields at the same time are both applied.`),
    path: rolePath('group-auditor'),
    body: {
      ...input,
      scope: ['The current scope: another one is refused.', 'USER_GROUPS'],
      id: ['Ignored.', 'group-auditor'],
      type: ['Ignored.', 'CUSTOM'],
      predefined_role_type: ['Ignored.', null],
      created_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      updated_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
    },
    answers: { 200: 'The role after the change; unchanged if there was nothing to change.' },
    answer: roleFields,
    examples: [
      {
        title: 'Change the permissions',
        status: 200,
        body: { permissions: ['GROUP_VIEW', 'GROUP_EXPORT'], external_id: 'ERP-AUDITOR' },
      },
      { title: 'Let administrators hand it out', status: 200, body: { assignable: true } },
      { title: 'Clear a field', status: 200, body: { external_id: null, description: null } },
    ],
  },

  deleteRole: {
    text: prose(`
      Deletes a role for good.

      **Allowed** while it is not in use: no user holds it in a user group or on a channel, no attached user group or rule
      gives it, and it is not the default of a channel. Otherwise the answer is 409 \`ROLE_IN_USE\`. Users pending deletion still hold
      their roles. Predefined roles cannot be deleted (403 \`ROLE_NOT_MODIFIABLE\`).

      **What else changes:** nothing. Its id and external id are free again.

      **Repeating it** answers 404 \`ROLE_NOT_FOUND\`.`),
    path: rolePath('group-key-holder'),
    answers: { 204: 'The role was deleted.' },
  },
})
