import * as contracts from '../tasks.ts'
import { describe, prose } from './describe.ts'
import { cursorPage, cursorPaginationFields } from './shared.ts'
import { newTasks, taskChanges } from './taskExamples.ts'
import {
  authorEmbed,
  bodyFormat,
  givenBodyFields,
  givenDueAtFields,
  longTasks,
  ownSummaryFields,
  patchedDueAtFields,
  recipientFields,
  taskFields,
  taskPath,
  taskSummaryFields,
} from './taskRecords.ts'

const settingsLimits = 'up to 10,000 characters as JSON, and nested up to 30 levels'

export const tasks = describe(contracts, {
  listTasks: {
    text: prose(`
      Lists the tasks that the caller created, and those that others gave them, page by page, each task once.
      All filters combine with AND. Listing a task does not open it. On AWS a change may show here a moment later.

      ${longTasks}`),
    query: {
      ...cursorPage,
      distribution_kind: [
        'Only tasks of these kinds. `PERSONAL`: by the caller, only for themselves. `DISTRIBUTED`: by the caller, for others. `RECEIVED`: from others. By default all three.',
        ['DISTRIBUTED'],
      ],
      progress_status: [
        '`FINISHED`: only finished tasks. A received task is finished if the caller has finished it, an own task if all recipients have. `OPEN`: only the others.',
        ['OPEN'],
      ],
      external_id: ['The whole external id. Up to 255 characters.', 'T-task-induction'],
      embed: authorEmbed,
      sort: [
        'The order: 1 to 5 values. The first one sorts, each further one sorts the items that are equal by those before it; ties are sorted by id. The default is `UPDATED_AT_DESC`. By `DUE_AT`, tasks without a due date come last in both directions, and a day counts as its last instant in UTC.',
        ['DUE_AT_ASC', 'UPDATED_AT_DESC'],
      ],
      body_format: bodyFormat,
    },
    send: { distribution_kind: ['DISTRIBUTED'], sort: ['DUE_AT_ASC'], body_format: ['PLAIN'], page_limit: 2 },
    answers: { 200: 'One page of the matching tasks.' },
    answer: {
      tasks: ['The tasks on this page, in the order asked for.', taskFields],
      pagination: ['Where the next page begins.', cursorPaginationFields],
    },
  },

  createTask: {
    text: prose(`
      Creates a task, whose author is the caller, and gives it to users or to the members of a channel. Every recipient
      gets an assignment with the status \`NEW\`.

      **Recipients** are either 1 to 100 active users, which can include the caller, or one channel. The
      channel must be active, and the caller must hold the predefined owner role there, directly or through a user
      group. All members who are active now get the task, except the caller. Users who join later do not
      get it. A channel without any such member is refused with 400 \`NO_RECIPIENTS\`.

      **The body** is one text in up to three forms. HTML and deltas are cleaned. If plain text is missing, it is
      derived from the HTML, or else from the delta.

      **Repeating it** with the same \`id\` is refused with 409 \`DUPLICATE_ID\`; without an \`id\` it creates another
      task. The id of a deleted task is free again as soon as all of its assignments are removed.

      **Limits:** all forms of the body together have up to 50,000 characters, as they are stored; derived plain text
      does not count. Body, plain text and settings together have up to 404,000 bytes. A channel may have any
      number of members: up to 1,000 get their assignments before the answer, more within the next
      seconds; \`distribution\` says how many have one.`),
    body: {
      id: [
        'The id: 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first. If it is missing or null, the service generates a UUID.',
        'fire-drill',
      ],
      external_id: [
        'The id of the task in another system: 1 to 255 characters, without outer white space. Unique among the tasks of the caller. Null for none.',
        'EHS-17',
      ],
      title: ['The title: one line of 1 to 150 characters, without outer white space.', 'Fire drill'],
      body: ['What is to be done. Null for nothing.', givenBodyFields, { html: '<p>Meet at the gate.</p>' }],
      due_at: [
        'When the task is due. Null for no due date.',
        givenDueAtFields,
        { due_at_type: 'DATE', date: '2030-01-31' },
      ],
      settings: [`Data that clients store with the task: any JSON object, ${settingsLimits}.`, { colour: 'red' }],
      recipients: ['One channel, or 1 to 100 users. A user who is named twice counts once.', recipientFields],
    },
    answers: { 201: 'The task was created.' },
    answer: taskFields,
    examples: newTasks,
  },

  getTask: {
    text: prose(`
      Reads one task. Only its author and its recipients can read it. For all others, including administrators,
      the answer is 404 \`TASK_NOT_FOUND\`.

      **What else changes:** a recipient who reads the task opens it: their assignment changes from \`NEW\` to \`OPEN\`.
      No other call does that.`),
    path: taskPath('task-induction'),
    query: { embed: authorEmbed, body_format: bodyFormat },
    send: { embed: ['AUTHOR'] },
    answers: { 200: 'The task.' },
    answer: taskFields,
  },

  updateTask: {
    text: prose(`
      Changes a task by a merge patch (RFC 7396), for its author. For all others the answer is 404 \`TASK_NOT_FOUND\`.
      Fields that you leave out stay, null clears a field. \`body\`, \`due_at\` and \`settings\` are merged member by
      member. You can send the record back as you read it: \`id\`, \`author_id\`, \`author\`, \`recipients\`, progress and times are
      ignored.

      **The body:** a form that you leave out stays, so change all forms that there are. Plain text that was derived
      from another form follows that form. With \`content_format\` the body is replaced as a whole.

      **What else changes:** all recipients see the new content, and the task moves in their lists that are sorted
      by due date or last change; with very many recipients this may take a moment. Their progress stays.

      **Repeating it** is safe: a patch that changes nothing answers 200 and keeps \`updated_at\`. Two changes of different
      fields at the same time are both applied.

      **Limits:** as for creating a task, checked after the merge.`),
    path: taskPath('task-lockers'),
    body: {
      external_id: [
        'The id of the task in another system: 1 to 255 characters, without outer white space. Unique among the tasks of the author. Null for none.',
        'EHS-18',
      ],
      title: [
        'The title: one line of 1 to 150 characters, without outer white space.',
        'Label your locker and its key',
      ],
      body: [
        'What is to be done: merged with the stored forms, or a new body with `content_format`. Null for nothing.',
        givenBodyFields,
        { html: '<p>Meet at the gate.</p>' },
      ],
      due_at: [
        'When the task is due: merged with the stored due date. Null for no due date.',
        patchedDueAtFields,
        { date: '2030-02-28' },
      ],
      settings: [
        `Data that clients store with the task: merged with the stored data, ${settingsLimits} after that. Null for nothing.`,
        { colour: 'red' },
      ],
      id: ['Ignored.', 'task-lockers'],
      author_id: ['Ignored.', 'service-account-admin'],
      author: ['Ignored.', null],
      distribution_kind: ['Ignored.', 'DISTRIBUTED'],
      created_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      updated_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      recipients: ['Ignored: other operations add and remove recipients.', []],
      progress_status: ['Ignored.', 'OPEN'],
      assignment_summary: ['Ignored.', null],
      distribution: ['Ignored.', null],
    },
    answers: { 200: 'The task after the change; unchanged if there was nothing to change.' },
    answer: taskFields,
    examples: taskChanges,
  },

  deleteTask: {
    text: prose(`
      Deletes a task for good, for its author. For all others the answer is 404 \`TASK_NOT_FOUND\`.

      **Allowed** whatever the progress of its recipients.

      **What else changes:** no operation finds the task and its assignments any more. For 30 days, operations on its
      assignments answer its author and its recipients with 404 \`TASK_NOT_FOUND\`. The external id is free again at
      once, the id as soon as all assignments are removed, which takes a moment if there are many.

      **Repeating it** answers 404 \`TASK_NOT_FOUND\`.`),
    path: taskPath('task-canteen'),
    answers: { 204: 'The task was deleted.' },
  },

  getTaskSummary: {
    text: prose(`
      Counts the assignments of a task by status, for its author. For all others the answer is 404
      \`TASK_NOT_FOUND\`. Recipients who are locked, deactivated or deleted count, too.`),
    path: taskPath('task-induction'),
    answers: { 200: 'The number of assignments of the task, by status.' },
    answer: taskSummaryFields,
  },

  getOwnTaskSummary: {
    text: prose(`
      Counts the assignments in the caller's own list by status: tasks that others gave them, and tasks that
      they gave only to themselves (see *List the caller's own task assignments*). On AWS a change may show here a moment later.`),
    answers: { 200: "The number of assignments in the caller's own list, by status." },
    answer: ownSummaryFields,
  },
})
