import * as contracts from '../roles.ts'
import { fieldsOf, prose, reference } from './describe.ts'
import { givenTexts, localizedFields, offsetPage, offsetPaginationFields } from './shared.ts'

const facts = {
  id: ['The id of the role.', 'group-coordinator'],
  external_id: ['The id of the role in another system, or null. Unique among roles.', 'ERP-COORDINATOR'],
  scope: [
    'Where the role can be held: in user groups (`USER_GROUPS`) or on channels (`CHANNELS`). Nothing hands out roles with the scope `ORGANISATION` yet.',
    'USER_GROUPS',
  ],
  type: ['`PREDEFINED` roles exist in every organisation; `CUSTOM` ones were created.', 'CUSTOM'],
  predefined_role_type: ['Which of the predefined roles this is; null for a custom role.', null],
  permissions: [
    'The names of the permissions. They are kept and shown for the applications that know them; Rollcall itself does not look at them.',
    ['GROUP_VIEW', 'GROUP_MEMBERS_UPDATE'],
  ],
  assignable: ['Whether administrators may hand the role out.', true],
  created_at: ['When the role was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: [
    'When the role last changed: RFC 3339, UTC, milliseconds. A call that changes nothing leaves it.',
    '2026-11-21T09:00:00.000Z',
  ],
} as const

const roleFields = fieldsOf(contracts.role)({
  ...facts,
  title: ['The title in all its languages.', localizedFields],
  description: ['What the role is for, in all its languages; empty if there is no description.', localizedFields],
})

const rolePath = (example: string) => ({ role_id: ['The id of the role.', example] }) as const

/** What creation and patch have in common. */
const given = {
  external_id: [
    'The id of the role in another system: 1 to 255 characters, without outer white space. Unique among roles. Null for none.',
    'ERP-SHIFT-LEAD',
  ],
  title: [
    'The title in 1 to 100 languages: each is one line, at least one character of it visible.',
    givenTexts(120, 'title'),
  ],
  description: [
    'What the role is for, in up to 100 languages. Null for none. Title and description together have up to 20,000 characters.',
    givenTexts(200, 'description'),
  ],
  permissions: [
    'The whole set of permissions: up to 200 names of 1 to 100 characters, each once. Null for none. Any name will do.',
    ['GROUP_VIEW', 'GROUP_MEMBERS_UPDATE'],
  ],
  assignable: ['Whether administrators may hand the role out. Null for the default, true.', true],
} as const

export const roles = reference(contracts, {
  listRoles: {
    text: prose(`
      Lists roles, page by page, each with the texts that fit the caller best. Both filters must fit; without any, all
      roles are listed. On AWS a change may take a moment to show here; reading a role by id always shows it.`),
    query: {
      ...offsetPage,
      scope: ['Only roles with one of these scopes.', ['USER_GROUPS']],
      type: ['Only roles of one of these types.', ['CUSTOM']],
      sort: [
        'The order, by the title in the language of the caller, ignoring case and accents. The default is `TITLE_ASC`; ties go by id.',
        ['TITLE_ASC'],
      ],
    },
    send: { scope: ['USER_GROUPS'] },
    answers: { 200: 'One page of the roles that match, and how many there are in all.' },
    answer: {
      roles: [
        'The roles on this page, in the order asked for.',
        {
          ...facts,
          title: ['The title, in the language that fits the caller best.', localizedFields],
          description: ['What the role is for, in the language that fits the caller best, or null.', localizedFields],
        },
      ],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createRole: {
    text: prose(`
      Creates a role of the organisation's own, of type \`CUSTOM\`. If it is assignable, it can be handed out at once.

      **Repeating it** with the same \`id\` is refused with 409 \`DUPLICATE_ID\`; without an \`id\` it creates another
      role. The id of a role that has been deleted can be used again.

      **Limits:** the scope is chosen once and for all. The four predefined roles come with the organisation; no more of
      them can be created.`),
    body: {
      ...given,
      id: [
        'An id of your choice: letters, digits, dots, underscores and hyphens, 1 to 64 of them, a letter or digit first. If it is missing or null, the service makes a UUID.',
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
      Reads one role with its texts in all languages, as the last change left it.`),
    path: rolePath('group-coordinator'),
    answers: { 200: 'The role.' },
    answer: roleFields,
  },

  updateRole: {
    text: prose(`
      Changes a role by a merge patch (RFC 7396): fields that you leave out stay, null clears a field or brings its
      default back. The lists \`title\`, \`description\` and \`permissions\` are replaced as a whole.

      **Allowed** for every custom role. Of a predefined one only \`title\` and \`description\` can change; any other
      change is refused with 403 \`ROLE_NOT_MODIFIABLE\`. The record can be sent back as it was read: \`id\`, \`type\`,
      \`predefined_role_type\` and the times are ignored.

      **What else changes:** new texts show wherever the role does. \`assignable: false\` keeps the role from being
      handed out from now on; who holds it keeps it.

      **Repeating it** is safe: a patch that changes nothing answers 200 and leaves \`updated_at\`. Two changes at once
      are both kept, if they change different fields.`),
    path: rolePath('group-auditor'),
    body: {
      ...given,
      scope: ['The scope as it is: another one is refused.', 'USER_GROUPS'],
      id: ['Ignored.', 'group-auditor'],
      type: ['Ignored.', 'CUSTOM'],
      predefined_role_type: ['Ignored.', null],
      created_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      updated_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
    },
    answers: { 200: 'The role after the change, or unchanged if there was nothing to change.' },
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

      **Allowed** while it is not in use: no user holds it in a user group or on a channel, no attached user group gives
      it, and it is no channel's default. Otherwise the answer is 409 \`ROLE_IN_USE\`. Users pending deletion still hold
      their roles. Predefined roles are never deleted (403 \`ROLE_NOT_MODIFIABLE\`).

      **What else changes:** nothing. Its id and external id are free again.

      **Repeating it** answers 404 \`ROLE_NOT_FOUND\`.`),
    path: rolePath('group-key-holder'),
    answers: { 204: 'The role was deleted.' },
  },
})
