import * as contracts from '../taskAssignments.ts'
import { prose, reference } from './describe.ts'
import { cursorPage } from './shared.ts'
import { assignmentsPage, progressFilter, recipients } from './taskRecipients.ts'
import { bodyFormat, longTasks, taskAssignmentFields } from './taskRecords.ts'

const assignmentPath = (example: string) =>
  ({
    assignment_id: [
      'The id of the assignment, as it was answered. A comma in place of the `~` is accepted, too.',
      example,
    ],
  }) as const

const recipientOnly = 'Only the recipient can; to everybody else the answer is 404 `TASK_ASSIGNMENT_NOT_FOUND`.'

export const taskAssignments = reference(contracts, {
  listOwnTaskAssignments: {
    text: prose(`
      Lists what the caller has to do, page by page: their assignments to tasks that others gave them, and to tasks that
      they gave to themselves alone. A task that they gave to themselves and to others is not on this list: see *List
      the assignments of a task, for its author*. All filters combine with AND. Listing a task does not open it. On AWS
      a change may take a moment to show here.

      \`distribution_kind\` is required, also together with \`page_cursor\`. If none of its values is \`RECEIVED\` or
      \`PERSONAL\`, the answer is 400 \`DISTRIBUTION_KIND_UNDEFINED\`.

      ${longTasks}`),
    query: {
      ...cursorPage,
      distribution_kind: [
        '`RECEIVED`: tasks that others gave to the caller. `PERSONAL`: tasks whose author and only recipient the caller is.',
        ['RECEIVED', 'PERSONAL'],
      ],
      progress_status: progressFilter,
      sort: [
        'The order: 1 to 5 values. The first one sorts, each further one sorts the items that are equal by those before it; then the id of the task does. `CREATED_AT` and `UPDATED_AT` are those of the assignment. By `DUE_AT`, tasks without a due date come last in both directions, and a day counts as its last instant in UTC. The default is `CREATED_AT_DESC`.',
        ['DUE_AT_ASC', 'CREATED_AT_DESC'],
      ],
      body_format: bodyFormat,
    },
    send: { distribution_kind: ['RECEIVED', 'PERSONAL'], sort: ['DUE_AT_ASC'], body_format: ['PLAIN'] },
    answers: { 200: "One page of the caller's own assignments that match." },
    answer: assignmentsPage('The assignments on this page, in the order asked for.'),
  },

  deleteTaskAssignment: {
    text: prose(`
      Takes a task away from one recipient, for its author. To everybody else, recipients included, the answer is 404
      \`TASK_ASSIGNMENT_NOT_FOUND\`.

      **Allowed** whatever the status of the recipient and however far they have come, but not for the last recipient of
      the task: 409 \`TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION\`. To take a task away from everybody, delete it.

      **What else changes:** the progress is lost. If the recipient is added again, they begin with \`NEW\`.

      **Repeating it** answers 404 \`TASK_ASSIGNMENT_NOT_FOUND\`.`),
    path: assignmentPath('task-visit~user-030'),
    answers: { 204: 'The recipient does not have the task any more.' },
  },

  finishTaskAssignment: {
    text: prose(`
      Marks the caller's own assignment as finished. ${recipientOnly}

      **Allowed** while it is \`NEW\` or \`OPEN\`. **Repeating it** changes nothing: a \`FINISHED\` assignment stays as
      it is, \`updated_at\` included.

      **What else changes:** the summary of the task; the task is \`FINISHED\` as a whole once all have finished it.`),
    path: assignmentPath('task-first-aid~service-account-admin'),
    answers: { 200: 'The assignment, now `FINISHED`.' },
    answer: taskAssignmentFields,
  },

  openTaskAssignment: {
    text: prose(`
      Reopens the caller's own assignment. ${recipientOnly}

      **Allowed** while it is \`FINISHED\`. **Repeating it** changes nothing: an \`OPEN\` assignment stays so. So does a
      \`NEW\` one: it is opened by reading its task.

      **What else changes:** the summary of the task, which is not \`FINISHED\` as a whole any more.`),
    path: assignmentPath('task-contact~service-account-admin'),
    answers: { 200: 'The assignment, now `OPEN`; or still `NEW` if it was.' },
    answer: taskAssignmentFields,
  },

  ...recipients,
})
