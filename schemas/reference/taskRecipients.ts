import * as contracts from '../taskAssignments.ts'
import { operations, prose } from './describe.ts'
import { cursorPage, cursorPaginationFields, embedOf } from './shared.ts'
import {
  bodyFormat,
  longTasks,
  recipientFields,
  taskAssignmentFields,
  taskPath,
  taskSummaryFields,
} from './taskRecords.ts'

export const progressFilter = ['Only assignments with one of these statuses.', ['NEW', 'OPEN']] as const

export const assignmentsPage = (text: string) =>
  ({
    assignments: [text, taskAssignmentFields],
    pagination: ['Where the next page begins.', cursorPaginationFields],
  }) as const

const authorOnly = 'for its author. For all others the answer is 404 `TASK_NOT_FOUND`'

/** The operations on the recipients of a task, for its author. */
export const recipients = operations(contracts, {
  listTaskAssignments: {
    text: prose(`
      Lists the recipients of a task and their progress, page by page, ${authorOnly}. Recipients who are locked,
      deactivated or pending deletion are listed, too. Users who are deleted for good come last in both directions,
      without a name. On AWS a change may show here a moment later.

      ${longTasks}`),
    path: taskPath('task-induction'),
    query: {
      ...cursorPage,
      progress_status: progressFilter,
      embed: embedOf('`USER`: the recipient.', ['USER']),
      sort: [
        'The order, by the last name of the recipient ignoring case and accents; then by their id. The default is `LASTNAME_ASC`.',
        ['LASTNAME_ASC'],
      ],
      body_format: bodyFormat,
    },
    send: { embed: ['USER'], body_format: ['PLAIN'], page_limit: 2 },
    answers: { 200: 'One page of the matching assignments of the task.' },
    answer: assignmentsPage('The assignments on this page, in the order asked for.'),
  },

  addTaskRecipient: {
    text: prose(`
      Gives a task to one more user, or to the members of a channel, ${authorOnly}. New recipients begin with \`NEW\`.

      A user must be active, otherwise the answer is 400 \`UNKNOWN_USER_ID\`; a user who has the task already may have any
      status. A channel must be active, and the caller must hold the predefined owner role there, directly or
      through a user group. All members who are active now get the task, except the author. Users who join later do
      not get it.

      **What else changes:** with further recipients, a \`PERSONAL\` task becomes \`DISTRIBUTED\` and leaves its
      author's own list.

      **Repeating it** is safe: if all users have the task already, the answer is 200 and nothing changes.

      **Limits:** a channel may have any number of members: up to 1,000 get the task before the answer, more
      within the next seconds. The summary shows the current state; its \`distribution\` says whether all have it.`),
    path: taskPath('task-badges'),
    body: { recipient: ['The user or the channel.', recipientFields] },
    answers: {
      200: 'All users have the task already: nothing was changed. The summary of the task.',
      201: 'At least one user was given the task. The summary of the task after that.',
    },
    answer: taskSummaryFields,
    examples: [
      { title: 'A user', status: 201, body: { recipient: { id: 'user-026', type: 'USER' } } },
      { title: 'The same request again', status: 200, body: { recipient: { id: 'user-026', type: 'USER' } } },
      { title: 'The members of a channel', status: 201, body: { recipient: { id: 'onboarding', type: 'CHANNEL' } } },
    ],
  },

  addTaskAssignments: {
    text: prose(`
      Gives a task to up to 100 more users, ${authorOnly}. New recipients begin with \`NEW\`.

      All users must be active; users who have the task already may have any status, and are skipped. If one of them
      cannot get the task, the answer is 400 \`UNKNOWN_USER_ID\`, which names all such users, and no user gets it.

      **What else changes:** with further recipients, a \`PERSONAL\` task becomes \`DISTRIBUTED\` and leaves its
      author's own list.

      **Repeating it** is safe: if all users have the task already, the answer is 200 and nothing changes.

      **Limits:** 1 to 100 users. A user who is listed twice counts once.`),
    path: taskPath('task-parking'),
    body: {
      user_ids: [
        'The users, 1 to 100: each an id, or an object with the id.',
        { id: ['The id of the user.', 'user-026'], type: ['`USER`, if it is given at all.', 'USER'] },
      ],
    },
    answers: {
      200: 'All users have the task already: nothing was changed. The summary of the task.',
      201: 'At least one user was given the task. The summary of the task after that.',
    },
    answer: taskSummaryFields,
    examples: [
      { title: 'Two users', status: 201, body: { user_ids: ['user-026', 'user-027'] } },
      { title: 'The same request again', status: 200, body: { user_ids: ['user-026', 'user-027'] } },
      {
        title: 'Users as objects; one of them has the task already',
        status: 201,
        body: { user_ids: [{ id: 'user-027', type: 'USER' }, { id: 'user-028' }] },
      },
    ],
  },

  deleteTaskAssignments: {
    text: prose(`
      Takes a task away from up to 100 recipients, from all of them or from none, ${authorOnly}.

      **Allowed** whatever the status and the progress of the recipients, as long as one recipient is
      left. Otherwise the answer is 409 \`TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION\`, and no recipient is removed. Ids that
      are not assignments of this task are refused before that with 400 \`UNKNOWN_TASK_ASSIGNMENT_ID\`, which names
      all of them. If another call removes an assignment meanwhile, the answer is 404 \`TASK_ASSIGNMENT_NOT_FOUND\`.

      **What else changes:** the progress of removed recipients is lost.

      **Repeating it** is refused with 400 \`UNKNOWN_TASK_ASSIGNMENT_ID\`, as the assignments are gone.

      **Limits:** 1 to 100 assignments. One that is listed twice counts once.`),
    path: taskPath('task-keys'),
    body: {
      assignment_ids: [
        'The assignments, 1 to 100: each an id, or an object with the id.',
        {
          id: ['The id of the assignment. A comma instead of the `~` is accepted, too.', 'task-keys~user-025'],
        },
      ],
    },
    answers: { 200: 'All of them were removed. The summary of the task after that.' },
    answer: taskSummaryFields,
    examples: [
      {
        title: 'Two assignments',
        status: 200,
        body: { assignment_ids: ['task-keys~user-025', 'task-keys~user-026'] },
      },
      { title: 'An assignment as an object', status: 200, body: { assignment_ids: [{ id: 'task-keys~user-027' }] } },
    ],
  },
})
