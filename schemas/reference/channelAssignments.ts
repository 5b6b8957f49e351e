import * as contracts from '../channelAssignments.ts'
import { describe, fieldsOf, prose } from './describe.ts'
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
    'Where the role comes from: given directly (`MANUAL`), or only through an attached user group (`USER_GROUP`).',
    'MANUAL',
  ],
  user: ['The user. Only with `embed=USER`.', userReferenceFields],
  role: ['The role. Only with `embed=ROLE`.', roleReferenceFields],
  actions: [
    'What the caller may do with this assignment now. Only with `embed=ACTIONS`.',
    { delete: ['Remove the role.', allowedFields] },
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

export const channelAssignments = describe(contracts, {
  listAssignableChannelRoles: {
    text: prose(`
      Lists the roles that the caller may hand out on a channel, page by page: those with the scope \`CHANNELS\` that
      are assignable. Only these can be given. The channel may be archived. On AWS a change of a role may show here a moment later.`),
    path: { channel_id: ['The id of the channel.', 'news'] },
    query: assignableRolesQuery,
    send: { embed: ['ROLE'] },
    answers: { 200: 'One page of the roles, and their total.' },
    answer: assignableRolesFields,
  },

  listChannelAssignments: {
    text: prose(`
      Lists who holds which role on a channel, page by page, with one entry for each role of each user. All filters
      combine with AND.

      A user who holds the same role directly and through a user group is listed once, as \`MANUAL\`. Locked and
      deactivated users are listed, and users pending deletion until \`deletion_at\`. An archived user group gives no
      roles. The channel may be archived. On AWS a change may show here a moment later; reading an assignment always
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
    answers: { 200: 'One page of the assignments that match, and their total.' },
    answer: {
      assignments: ['The assignments on this page, in the order asked for.', channelAssignmentFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createChannelAssignment: {
    text: prose(`
      Gives a user a role on a channel directly. A user can hold several.

      **Allowed** while the channel and the user are \`ACTIVE\`. A user who is not active, or unknown, is refused with
      409 \`USER_NOT_ASSIGNABLE\`.

      **What else changes:** the user becomes a member of the channel; with the predefined owner role they may
      give tasks to its members. They do not get tasks that were given to the channel before. If they held the role
      through a user group, it counts as \`MANUAL\` from now on.

      **Repeating it** is safe: if the user holds the role directly already, the answer is 200, and nothing changes.

      **Limits:** the role must exist, have the scope \`CHANNELS\`, and be one that the caller may hand out (see *List
      the roles that the caller may hand out on a channel*).`),
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
      Reads one role of a user on a channel, held directly or through a user group. A role
      that is held both ways has the source \`MANUAL\`. If the user does not hold the role, or is deleted for good, the
      answer is 404 \`CHANNEL_USER_ASSIGNMENT_NOT_FOUND\`.`),
    path: assignmentPath('news', 'demo-admin', 'channel-owner'),
    query: { embed },
    send: { embed: ['USER', 'ROLE', 'ACTIONS'] },
    answers: { 200: 'The assignment.' },
    answer: channelAssignmentFields,
  },

  deleteChannelAssignment: {
    text: prose(`
      Removes a role that a user holds directly.

      **Allowed** in every status of channel and user. A role that they hold only through a user group is refused with
      403 \`ROLE_ASSIGNMENT_NOT_DELETABLE\`: it ends with the membership in the group. The last user who holds the
      predefined owner role directly keeps it (403 \`ROLE_NOT_DELETABLE\`), even if others own the channel through groups.

      **What else changes:** without any other role on the channel, the user is no longer a member. If a user group
      gives the same role, they keep it, with the source \`USER_GROUP\`. They keep the tasks that they have.

      **Repeating it** answers 404 \`CHANNEL_USER_ASSIGNMENT_NOT_FOUND\`, or 403 \`ROLE_ASSIGNMENT_NOT_DELETABLE\` if
      a group gives the role.`),
    path: assignmentPath('it-status', 'user-030', 'channel-editor'),
    query: { embed },
    answers: { 200: 'The assignment as it was.' },
    answer: channelAssignmentFields,
  },
})
