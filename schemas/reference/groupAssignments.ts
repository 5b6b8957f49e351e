import * as contracts from '../groupAssignments.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import {
  allowedFields,
  assignableRolesFields,
  assignableRolesQuery,
  batchAnswer,
  batchRules,
  conditionalAnswer,
  embedOf,
  ifMatch,
  offsetPage,
  offsetPaginationFields,
  people,
  userReferenceFields,
} from './shared.ts'

const groupPath = (example: string) => ({ group_id: ['The id of the user group.', example] }) as const
const embed = embedOf('`ACTIONS`: whether the assignment can be deleted.', ['ACTIONS'])

const id = {
  group_id: ['The id of the user group.', 'sales'],
  user_id: ['The id of the user.', 'user-020'],
  role_id: ['The id of the role.', 'group-coordinator'],
} as const

const assignmentFields = fieldsOf(contracts.groupAssignment)({
  id: ['The three ids that identify the assignment.', id],
  source: [
    'Where the assignment comes from: `PRIMARY` from the primary group of the user, `MANUAL` was given by hand, `RULE` by a rule (or by an import, if no rule gives this role).',
    'MANUAL',
  ],
  user: ['Who holds the role.', userReferenceFields],
  rule_ids: [
    'The rules that give the role to this user. Only if a single assignment is read, and only with the source `RULE`; empty if it comes from an import and no rule gives it.',
    ['commercial-staff'],
  ],
  actions: [
    'What can be done with the assignment now. Only with `embed=ACTIONS`.',
    { delete: ['Remove the role: only if it was given by hand.', allowedFields] },
  ],
})

const input = {
  role_id: ['The id of an assignable role with the scope `USER_GROUPS`.', 'group-coordinator'],
  user_id: ['The id of an active user.', 'user-020'],
} as const

const assignmentPath = (user: string, role: string) =>
  ({
    ...groupPath('sales'),
    user_id: ['The id of the user.', user],
    role_id: ['The id of the role.', role],
  }) as const

const echoedId = [
  'The three ids that identify the assignment, as far as they could be read.',
  {
    group_id: ['The id of the group, or null if it could not be read.', 'sales'],
    user_id: ['The id of the user, or null if it could not be read.', 'user-021'],
    role_id: ['The id of the role, or null if it could not be read.', 'group-coordinator'],
  },
] as const

export const groupAssignments = describe(contracts, {
  createGroupAssignments: {
    text: prose(`
      Gives up to 100 users roles in user groups (see *Give a user a role in a user group*); the groups may differ. The
      \`status\` of an item that succeeds is 201.

      ${batchRules}`),
    query: { embed },
    body: {
      items: [
        'The roles to give, 1 to 100.',
        { group_id: ['The id of an active user group.', 'sales'], body: ['Who gets which role.', input] },
      ],
    },
    answers: { 200: 'One result for each item, in the order of the request.' },
    answer: batchAnswer(echoedId, assignmentFields),
    examples: [
      {
        title: 'Give two users roles',
        status: 200,
        body: {
          items: [
            { group_id: 'sales', body: { user_id: 'user-021', role_id: 'group-coordinator' } },
            { group_id: 'customer-care', body: { user_id: 'user-022', role_id: 'group-member' } },
          ],
        },
      },
      {
        title: 'One item fails',
        status: 200,
        body: {
          items: [
            { group_id: 'finance', body: { user_id: 'user-023', role_id: 'group-owner' } },
            { group_id: 'finance', body: { user_id: 'user-999', role_id: 'group-owner' } },
          ],
        },
      },
    ],
  },

  deleteGroupAssignments: {
    text: prose(`
      Removes up to 100 roles in user groups (see *Remove a user's role in a user group*).

      ${batchRules}`),
    query: { embed },
    body: {
      items: [
        'The roles to remove, 1 to 100.',
        {
          id: ['The three ids that identify the assignment.', { ...id, user_id: ['The id of the user.', 'user-092'] }],
          if_match: ifMatch,
        },
      ],
    },
    answers: { 200: 'One result for each item, in the order of the request.' },
    answer: conditionalAnswer(echoedId, assignmentFields),
    examples: [
      {
        title: 'Take two roles away, one of which follows from the primary group',
        status: 200,
        body: {
          items: [
            { id: { group_id: 'sales', user_id: 'user-092', role_id: 'group-owner' } },
            { id: { group_id: 'sales', user_id: 'user-092', role_id: 'group-member' } },
          ],
        },
      },
    ],
  },

  listAssignableGroupRoles: {
    text: prose(`
      Lists the roles that the caller may give in a user group, page by page: those with the scope \`USER_GROUPS\` that
      are assignable. They are the same for every group, also for archived ones, where they can be given after a restore.`),
    path: groupPath('sales'),
    query: assignableRolesQuery,
    send: { embed: ['ROLE'] },
    answers: { 200: 'One page of the roles, and their total.' },
    answer: assignableRolesFields,
  },

  listGroupAssignments: {
    text: prose(`
      Lists who holds which role in a user group, page by page: one entry for each user and role. Members of groups
      below are not listed. Users of every status are listed, until \`deletion_at\` if they are pending deletion. On AWS a change may show here a moment later; reading an assignment by its ids always shows it.`),
    path: groupPath('sales'),
    query: {
      ...offsetPage,
      ...people,
      role_ids: ['Only assignments of one of these roles, up to 100 ids.', ['group-owner']],
      embed: embedOf('`ACTIONS`: whether assignments can be created, and each one deleted.', ['ACTIONS']),
    },
    send: { role_ids: ['group-owner'], embed: ['ACTIONS'] },
    answers: { 200: 'One page of the assignments that match, and their total.' },
    answer: {
      assignments: ['The assignments on this page, in the order asked for.', assignmentFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
      actions: [
        'What can be done with the list now. Only with `embed=ACTIONS`.',
        { create: ['Give a user a role: only while the group is active.', allowedFields] },
      ],
    },
  },

  createGroupAssignment: {
    text: prose(`
      Gives a user a role in a user group, by hand: the assignment has the source \`MANUAL\`. A user can hold several
      roles in a group, each once.

      **Allowed** while the group and the user are \`ACTIVE\`, for every role that
      *List the roles that the caller may hand out in a user group* shows. The service checks in this
      order: group, user, role, and whether the user holds the role already.

      **What else changes:** the user becomes a member of the group, with any role, and holds the roles that the
      group, or one above it, gives on channels.

      **Repeating it** is refused with 409 \`USER_GROUP_ASSIGNMENT_ALREADY_EXISTS\`: a user holds a role in a group once,
      whatever the source.`),
    path: groupPath('sales'),
    query: { embed },
    body: input,
    answers: { 201: 'The user now holds the role.' },
    answer: assignmentFields,
    examples: [
      {
        title: 'Give a user a role',
        status: 201,
        body: { user_id: 'user-020', role_id: 'group-coordinator' },
      },
    ],
  },

  getGroupAssignment: {
    text: prose(`
      Reads one assignment: whether a user holds a role in a group, and why. \`rule_ids\` lists the rules that give it. Users
      past their \`deletion_at\` have no assignments.`),
    path: { ...assignmentPath('user-016', 'group-member'), ...groupPath('commercial') },
    query: { embed },
    send: { embed: ['ACTIONS'] },
    answers: { 200: 'The assignment.' },
    answer: assignmentFields,
  },

  deleteGroupAssignment: {
    text: prose(`
      Removes a role of a user in a user group.

      **Allowed** for assignments with the source \`MANUAL\`, whatever the status of user and group. An assignment by
      the primary group or a rule is refused with 403 \`DERIVED_ASSIGNMENT_DELETION_FORBIDDEN\`.

      **What else changes:** if it was their last role in the group, they are no longer a member, and lose the roles on
      channels that they held through it. Their other roles stay. If a rule gives them the same role, they keep it: the
      assignment then has the source \`RULE\`.

      **Repeating it** answers 404 \`USER_GROUP_ASSIGNMENT_NOT_FOUND\`.`),
    path: assignmentPath('user-073', 'group-owner'),
    query: { embed },
    answers: { 200: 'The assignment as it was.' },
    answer: assignmentFields,
  },
})
