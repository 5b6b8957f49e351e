import * as contracts from '../users.ts'
import { describe, prose } from './describe.ts'
import { offsetPage, offsetPaginationFields } from './shared.ts'
import { batches } from './userBatches.ts'
import { embed, userCreationFields, userFields, userPatchFields, userPath } from './userRecords.ts'
import { states } from './userStates.ts'

export const users = describe(contracts, {
  listUsers: {
    text: prose(`
      Lists users, page by page. All filters combine with AND; without filters, all users are listed, whatever their
      status.

      Users without a value for the sort come last in both directions. Users past their \`deletion_at\` are
      neither listed nor counted. An unknown attribute name finds no users.

      A search is complete and its total exact if one of its words, or the attribute, matches up to 10,000 users. With
      more than 30,000 users the limit is 1,875 matches, if the list is filtered or sorted by status or role, or sorted
      by \`UPDATED_AT\`. Beyond that \`total_relation\` can be \`AT_LEAST\`: then only the first matches can be read, up to
      1,000, and a sort by several fields is refused if too many users have the same first value. Use a longer term or
      another filter then.

      On AWS a change may show here a moment later; reading a user by id always shows it.`),
    query: {
      ...offsetPage,
      search_term: [
        'Finds users by first name, last name, username, e-mail address, and the attributes `department` and `location`. Every search word must be the beginning of a word in them; case and accents do not matter. The whole id of a user is found, too. Up to 200 characters.',
        'mull',
      ],
      username: ['The whole username, ignoring case. Up to 255 characters.', 'anna.muller'],
      external_id: ['The whole external id. Up to 255 characters.', 'HR-10008'],
      attribute_technical_name: [
        'The technical name of an attribute. Only together with `attribute_value`.',
        'department',
      ],
      attribute_value: [
        'The whole value of that attribute. Only together with `attribute_technical_name`.',
        'People & Culture',
      ],
      status: ['Only users with one of these statuses.', ['ACTIVE', 'LOCKED']],
      role: ['Only users with one of these roles.', ['ADMIN']],
      sort: [
        'The order: 1 to 5 values. The first one sorts, each further one sorts the items that are equal by those before it. The default is `LAST_NAME_ASC`, then first name, then id. `DEPARTMENT` and `LOCATION` are the attributes of that name.',
        ['LAST_NAME_ASC', 'FIRST_NAME_ASC'],
      ],
      embed,
    },
    send: { search_term: 'mull' },
    answers: { 200: 'One page of the matching users, and their total.' },
    answer: {
      users: ['The users on this page, in the order asked for.', userFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createUser: {
    text: prose(`
      Creates a user. They become a member of their primary group: an assignment with source \`PRIMARY\` and the
      predefined member role is created with them.

      **Repeating it** is safe if you choose the \`id\`: the same request again answers 200 with the user, and creates
      nothing. The same \`id\` with other content is refused, and so is the id of a deleted user. The service checks in this
      order whether id, username and external id are free. A user pending deletion keeps all three. At the final deletion,
      username and external id become free; the id never does.

      The role \`ADMIN\` can only be given by a caller who may hand it out.`),
    query: { embed },
    body: userCreationFields,
    answers: {
      200: 'The same request has created this user before: nothing was created.',
      201: 'The user was created.',
    },
    answer: userFields,
    examples: [
      { title: 'Create a user', status: 201, body: zoe() },
      { title: 'The same request again', status: 200, body: zoe() },
      {
        title: 'As little as it takes',
        status: 201,
        body: { id: 'ken', first_name: 'Ken', last_name: 'Sato', username: 'ken.sato', role: 'USER', status: 'ACTIVE' },
      },
    ],
  },

  getUser: {
    text: prose(`
      Reads one user with all changes. A user pending deletion can still be read; from \`deletion_at\` on
      they are not found.`),
    path: userPath('user-001'),
    query: { embed },
    answers: { 200: 'The user.' },
    answer: userFields,
  },

  updateUser: {
    text: prose(`
      Changes a user by a merge patch (RFC 7396): fields that you leave out stay, null clears a field. The lists
      \`attributes\`, \`tags\` and \`required_actions\` are replaced as a whole. Status, id and times cannot be changed
      here and are refused as unknown fields.

      **Single attributes:** \`attributes\` may also be an object such as \`{ "location": "Berlin", "job_title": null }\`. It
      changes only the attributes that it names: others stay, new ones come last, and null removes a value.

      **Allowed** while the user is \`ACTIVE\`, \`LOCKED\` or \`DEACTIVATED\`.

      **What else changes:** another \`primary_user_group_id\` moves the \`PRIMARY\` assignment to that group; another name
      shows in all assignments and lists. Losing the role \`ADMIN\` takes effect at the user's next request.

      **Repeating it** is safe: a patch that changes nothing answers 200 and keeps \`updated_at\`. Two changes at the same
      time are both applied.`),
    path: userPath('user-009'),
    query: { embed },
    body: userPatchFields,
    answers: { 200: 'The user after the change; unchanged if there was nothing to change.' },
    answer: userFields,
    examples: [
      {
        title: 'Change some fields',
        status: 200,
        body: { email: 'jiri@nordwind.example', tags: [{ name: 'night-shift' }, { name: 'mentor' }] },
      },
      { title: 'Change one attribute', status: 200, body: { attributes: { location: 'Berlin' } } },
      { title: 'Move to another group', status: 200, body: { primary_user_group_id: 'warehouse' } },
      { title: 'Clear a field', status: 200, body: { email: null, attributes: null } },
    ],
  },

  ...states,
  ...batches,
})

function zoe() {
  return {
    id: 'zoe',
    external_id: 'HR-20417',
    first_name: 'Zoë',
    last_name: 'Łukasz',
    username: 'zoe.lukasz',
    email: 'zoe.lukasz@nordwind.example',
    role: 'USER',
    status: 'ACTIVE',
    required_actions: ['UPDATE_PASSWORD'],
    attributes: [{ name: 'job_title', value: 'Warehouse operative' }],
    tags: [{ name: 'forklift-licence' }],
    primary_user_group_id: 'warehouse',
  }
}
