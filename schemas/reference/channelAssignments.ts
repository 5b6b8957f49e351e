import * as contracts from '../channelAssignments.ts'
import { fieldsOf, prose, reference } from './describe.ts'
import {
  allowedFields,
  assignableRolesFields,
  assignableRolesQuery,
  embedOf,
  offsetPage,
  offsetPaginationFields,
  people,
  roleReferenceFields,
  userReferenceFields,
} from './shared.ts'

const channelAssignmentFields = fieldsOf(contracts.channelAssignment)({
  id: [
    'The three ids that identify the assignment.',
    {
      channel_id: ['The id of the channel.', 'news'],
      user_id: ['The id of the user.', 'user-025'],
      role_id: ['The id of the role.', 'channel-editor'],
    },
  ],
  source: [
    'Where the role comes from: given to the user directly (`MANUAL`), or held only through an attached user group (`USER_GROUP`).',
    'MANUAL',
  ],
  user: ['The user. Only with `embed=USER`.', userReferenceFields],
  role: ['The role. Only with `embed=ROLE`.', roleReferenceFields],
  actions: [
    'What the caller may do with this assignment now. Only with `embed=ACTIONS`.',
    { delete: ['Take the role away.', allowedFields] },
  ],
})

const embed = embedOf(
  '`USER`: the user. `ROLE`: the role with its texts. `ACTIONS`: what the caller may do with the assignment now.',
  ['USER', 'ROLE'],
)

const assignmentPath = (channel: string, user: string, role: string) =>
  ({
    channel_id: ['The id of the channel.', channel],
    user_id: ['The id of the user.', user],
    role_id: ['The id of the role.', role],
  }) as const

export const channelAssignments = reference(contracts, {
  listAssignableChannelRoles: {
    text: prose(`
      Lists the roles that the caller may hand out on a channel, page by page: those with the scope \`CHANNELS\` that
      are assignable. Exactly these are accepted when a role is given. The channel may be archived. On AWS a change of a
      role may take a moment to show here.`),
    path: { channel_id: ['The id of the channel.', 'news'] },
    query: assignableRolesQuery,
    send: { embed: ['ROLE'] },
    answers: { 200: 'One page of the roles, and how many there are in all.' },
    answer: assignableRolesFields,
  },

  listChannelAssignments: {
    text: prose(`
      Lists who holds which role on a channel, page by page, with one entry for each role of each user. All filters
      combine with AND.

      A user who holds the same role directly and through a user group is listed once, as \`MANUAL\`. Locked and
      deactivated users and users pending deletion stay listed until they are gone. An archived user group gives no
      roles. The channel may be archived. On AWS a change may take a moment to show here; reading an assignment always
      shows it.`),
    path: { channel_id: ['The id of the channel.', 'safety'] },
    query: {
      ...offsetPage,
      ...people,
      role_id: ['Only assignments of one of these roles, by id; up to 100.', ['channel-owner']],
      source: [
        '`MANUAL`: only roles that are held directly. `USER_GROUP`: only those that are held through user groups alone.',
        ['MANUAL'],
      ],
      embed,
    },
    send: { source: ['MANUAL'], embed: ['USER'], page_limit: 3 },
    answers: { 200: 'One page of the assignments that match, and how many there are in all.' },
    answer: {
      assignments: ['The assignments on this page, in the order asked for.', channelAssignmentFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createChannelAssignment: {
    text: prose(`
      Gives a user a role on a channel, directly. They can hold several.

      **Allowed** while the channel and the user are \`ACTIVE\`. A user who is not active, or unknown, is refused with
      409 \`USER_NOT_ASSIGNABLE\`.

      **What else changes:** the user becomes a member of the channel; with the predefined role of an owner they may
      give tasks to its members. Tasks that were given to the channel before do not come to them. A role that they held
      through a user group so far counts as \`MANUAL\` from now on.

      **Repeating it** is safe: a role that the user holds directly already is answered with 200, and nothing changes.

      **Limits:** the role must exist, have the scope \`CHANNELS\`, and be the caller's to hand out (see *List the roles
      that the caller may hand out on a channel*).`),
    path: { channel_id: ['The id of the channel.', 'news'], user_id: ['The id of the user.', 'user-025'] },
    query: { embed },
    send: { embed: ['USER', 'ROLE'] },
    body: { role_id: ['The id of the role.', 'channel-editor'] },
    answers: {
      200: 'The user holds the role directly already: nothing was changed.',
      201: 'The user was given the role.',
    },
    answer: channelAssignmentFields,
    examples: [
      { title: 'Make a user an editor', status: 201, body: { role_id: 'channel-editor' } },
      { title: 'The same request again', status: 200, body: { role_id: 'channel-editor' } },
    ],
  },

  getChannelAssignment: {
    text: prose(`
      Reads one role of a user on a channel, held directly or through a user group, as the last change left it. A role
      that is held both ways has the source \`MANUAL\`. If the user does not hold the role, or is gone for good, the
      answer is 404 \`CHANNEL_USER_ASSIGNMENT_NOT_FOUND\`.`),
    path: assignmentPath('news', 'demo-admin', 'channel-owner'),
    query: { embed },
    send: { embed: ['USER', 'ROLE', 'ACTIONS'] },
    answers: { 200: 'The assignment.' },
    answer: channelAssignmentFields,
  },

  deleteChannelAssignment: {
    text: prose(`
      Takes a role away that a user holds directly.

      **Allowed** in every status of channel and user. A role that they hold through a user group only is refused with
      403 \`ROLE_ASSIGNMENT_NOT_DELETABLE\`: it ends with the membership in the group. The predefined role of an owner
      is not taken from the last who holds it directly (403 \`ROLE_NOT_DELETABLE\`), even if others own the channel
      through groups.

      **What else changes:** a user without any other role on the channel is no member of it any more. If a user group
      confers the same role, they keep it, with the source \`USER_GROUP\`. Tasks that they were given stay with them.

      **Repeating it** answers 404 \`CHANNEL_USER_ASSIGNMENT_NOT_FOUND\`, or 403 \`ROLE_ASSIGNMENT_NOT_DELETABLE\` where
      a group confers the role.`),
    path: assignmentPath('it-status', 'user-030', 'channel-editor'),
    query: { embed },
    answers: { 200: 'The assignment as it was.' },
    answer: channelAssignmentFields,
  },
})
