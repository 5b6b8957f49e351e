import * as contracts from '../taskAssignments.ts'
import { describe, prose } from './describe.ts'
import { cursorPage } from './shared.ts'
import { assignmentsPage, progressFilter, recipients } from './taskRecipients.ts'
import { authorEmbed, bodyFormat, longTasks, taskAssignmentFields } from './taskRecords.ts'

const assignmentPath = (example: string) =>
  ({
    assignment_id: ['The id of the assignment. A comma instead of the `~` is accepted, too.', example],
  }) as const

const recipientOnly = 'For anybody but the recipient the answer is 404 `TASK_ASSIGNMENT_NOT_FOUND`.'

export const taskAssignments = describe(contracts, {
  listOwnTaskAssignments: {
    text: prose(`
      Lists what the caller has to do, page by page: their assignments to tasks that others gave them, and to tasks that
      they gave only to themselves. A task that they gave to themselves and to others is not in this list: see *List
      the assignments of a task, for its author*. All filters combine with AND. Listing a task does not open it. On AWS a change may show here a moment later.

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
      embed: authorEmbed,
      sort: [
        'The order: 1 to 5 values. The first one sorts, each further one sorts the items that are equal by those before it; ties are sorted by the id of the task. `CREATED_AT` and `UPDATED_AT` are those of the assignment. By `DUE_AT`, tasks without a due date come last in both directions, and a day counts as its last instant in UTC. The default is `CREATED_AT_DESC`.',
        ['DUE_AT_ASC', 'CREATED_AT_DESC'],
      ],
      body_format: bodyFormat,
    },
    send: { distribution_kind: ['RECEIVED', 'PERSONAL'], sort: ['DUE_AT_ASC'], body_format: ['PLAIN'] },
    answers: { 200: "One page of the caller's matching assignments." },
    answer: assignmentsPage('The assignments on this page, in the order asked for.'),
  },

  deleteTaskAssignment: {
    text: prose(`
      Takes a task away from one recipient, for its author. For all others, including recipients, the answer is 404
      \`TASK_ASSIGNMENT_NOT_FOUND\`.

      **Allowed** whatever the status and the progress of the recipient, but not for the last recipient of
      the task: 409 \`TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION\`. To take it away from all recipients, delete the task.

      **What else changes:** the progress is lost. If the recipient is added again, they begin with \`NEW\`.

      **Repeating it** answers 404 \`TASK_ASSIGNMENT_NOT_FOUND\`.`),
    path: assignmentPath('task-visit~user-030'),
    answers: { 204: 'The recipient no longer has the task.' },
  },

  finishTaskAssignment: {
    text: prose(`
      Marks the caller's own assignment as finished. ${recipientOnly}

      **Allowed** while it is \`NEW\` or \`OPEN\`. **Repeating it** changes nothing: a \`FINISHED\` assignment stays as
      it is, including \`updated_at\`.

      **What else changes:** the summary of the task; the task is \`FINISHED\` once all recipients have finished it.`),
    path: assignmentPath('task-first-aid~service-account-admin'),
    answers: { 200: 'The assignment, now `FINISHED`.' },
    answer: taskAssignmentFields,
  },

  openTaskAssignment: {
    text: prose(`
      Reopens the caller's own assignment. ${recipientOnly}

      **Allowed** while it is \`FINISHED\`. **Repeating it** changes nothing: an \`OPEN\` assignment stays \`OPEN\`. A
      \`NEW\` one stays \`NEW\`: reading its task opens it.

      **What else changes:** the summary of the task, which is no longer \`FINISHED\`.`),
    path: assignmentPath('task-contact~service-account-admin'),
    answers: { 200: 'The assignment, now `OPEN`; or still `NEW` if it was.' },
    answer: taskAssignmentFields,
  },

  ...recipients,
})
