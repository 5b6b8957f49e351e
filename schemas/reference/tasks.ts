import * as contracts from '../tasks.ts'
import { prose, reference } from './describe.ts'
import { cursorPage, cursorPaginationFields } from './shared.ts'
import { newTasks, taskChanges } from './taskExamples.ts'
import {
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

export const tasks = reference(contracts, {
  listTasks: {
    text: prose(`
      Lists the tasks that the caller is the author of, and those that others gave them, page by page, each task once.
      All filters combine with AND. Listing a task does not open it. On AWS a change may take a moment to show here.

      ${longTasks}`),
    query: {
      ...cursorPage,
      distribution_kind: [
        'Only tasks of these kinds. `PERSONAL`: of the caller, for them alone. `DISTRIBUTED`: of the caller, for others. `RECEIVED`: from others. All three if it is not given.',
        ['DISTRIBUTED'],
      ],
      progress_status: [
        '`FINISHED`: only tasks that are finished, by the caller where they received them, by all recipients where they are the author. `OPEN`: only those that are not.',
        ['OPEN'],
      ],
      external_id: ['The whole external id. Up to 255 characters.', 'T-task-induction'],
      sort: [
        'The order: 1 to 5 values. The first one sorts, each further one sorts the items that are equal by those before it; then the id does. The default is `UPDATED_AT_DESC`. By `DUE_AT`, tasks without a due date come last in both directions, and a day counts as its last instant in UTC.',
        ['DUE_AT_ASC', 'UPDATED_AT_DESC'],
      ],
      body_format: bodyFormat,
    },
    send: { distribution_kind: ['DISTRIBUTED'], sort: ['DUE_AT_ASC'], body_format: ['PLAIN'], page_limit: 2 },
    answers: { 200: 'One page of the tasks that match.' },
    answer: {
      tasks: ['The tasks on this page, in the order asked for.', taskFields],
      pagination: ['Where the next page begins.', cursorPaginationFields],
    },
  },

  createTask: {
    text: prose(`
      Creates a task of the caller, and gives it to users or to the members of a channel. Every recipient gets an
      assignment, which is \`NEW\`.

      **Recipients** are 1 to 100 active users, the caller included if they are named, or one channel, but not both. A
      channel must be active, and the caller must hold the predefined role of an owner there, directly or through a user
      group. It stands for all members who are active now, except the caller. Users who join later do not
      get the task. A channel without any such member is refused with 400 \`NO_RECIPIENTS\`.

      **The body** is one text in up to three forms. HTML and deltas are cleaned. If plain text is not given, it is
      worked out from the HTML, or else from the delta.

      **Repeating it** with the same \`id\` is refused with 409 \`DUPLICATE_ID\`; without an \`id\` it creates another
      task. The id of a deleted task is free again as soon as all of its assignments are removed.

      **Limits:** the forms of the body have up to 50,000 characters together, as they are stored; plain text that was
      worked out does not count. Body, plain text and settings together have up to 404,000 bytes. A channel may have any
      number of members: up to 1,000 have their assignments before the answer comes, more may get them within the next
      seconds; \`distribution\` says how many have one.`),
    body: {
      id: [
        'An id of your choice: letters, digits, dots, underscores and hyphens, 1 to 64 of them, a letter or digit first. If it is missing or null, the service makes a UUID.',
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
      settings: [`Whatever clients want to keep with the task: any JSON object, ${settingsLimits}.`, { colour: 'red' }],
      recipients: ['One channel, or 1 to 100 users. A user who is named twice counts once.', recipientFields],
    },
    answers: { 201: 'The task was created.' },
    answer: taskFields,
    examples: newTasks,
  },

  getTask: {
    text: prose(`
      Reads one task, as the last change left it. Only its author and its recipients can: for all others, administrators
      included, the answer is 404 \`TASK_NOT_FOUND\`.

      **What else changes:** a recipient who reads the task opens it: their assignment goes from \`NEW\` to \`OPEN\`.
      Nothing else does that.`),
    path: taskPath('task-induction'),
    query: { body_format: bodyFormat },
    answers: { 200: 'The task.' },
    answer: taskFields,
  },

  updateTask: {
    text: prose(`
      Changes a task by a merge patch (RFC 7396), for its author. For all others the answer is 404 \`TASK_NOT_FOUND\`.
      Fields that you leave out stay, null clears a field. \`body\`, \`due_at\` and \`settings\` are merged member by
      member. The record can be sent back as it was read: \`id\`, \`author_id\`, \`recipients\`, progress and times are
      ignored.

      **The body:** a form that is not named stays, so change all forms that there are. Plain text that was worked out
      from another form follows that form by itself. With \`content_format\` the body is a whole new one.

      **What else changes:** all recipients see the new content, and the task moves in their lists where they are sorted
      by its due date or its last change; of very many recipients, some see it move a little later. Their progress
      stays.

      **Repeating it** is safe: a patch that changes nothing answers 200 and leaves \`updated_at\`. Two changes at once
      are both kept, if they change different fields.

      **Limits:** as for creating a task, judged after the merge.`),
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
        'What is to be done: merged with the forms there are, or a whole new body with `content_format`. Null for nothing.',
        givenBodyFields,
        { html: '<p>Meet at the gate.</p>' },
      ],
      due_at: [
        'When the task is due: merged with what there is. Null for no due date.',
        patchedDueAtFields,
        { date: '2030-02-28' },
      ],
      settings: [
        `What clients keep with the task: merged with what is kept, ${settingsLimits} after that. Null for nothing.`,
        { colour: 'red' },
      ],
      id: ['Ignored.', 'task-lockers'],
      author_id: ['Ignored.', 'service-account-admin'],
      distribution_kind: ['Ignored.', 'DISTRIBUTED'],
      created_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      updated_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      recipients: ['Ignored: other operations add and remove recipients.', []],
      progress_status: ['Ignored.', 'OPEN'],
      assignment_summary: ['Ignored.', null],
      distribution: ['Ignored.', null],
    },
    answers: { 200: 'The task after the change, or unchanged if there was nothing to change.' },
    answer: taskFields,
    examples: taskChanges,
  },

  deleteTask: {
    text: prose(`
      Deletes a task for good, for its author. For all others the answer is 404 \`TASK_NOT_FOUND\`.

      **Allowed** however far its recipients have come.

      **What else changes:** task and assignments are gone for everybody at once. For 30 days, operations on its
      assignments answer its author and its recipients with 404 \`TASK_NOT_FOUND\`. The external id is free again at
      once, the id as soon as all assignments are removed, which takes a moment if they are many.

      **Repeating it** answers 404 \`TASK_NOT_FOUND\`.`),
    path: taskPath('task-canteen'),
    answers: { 204: 'The task was deleted.' },
  },

  getTaskSummary: {
    text: prose(`
      Counts how far the recipients of a task have come, for its author. For all others the answer is 404
      \`TASK_NOT_FOUND\`. Recipients who are locked, deactivated or deleted count, too.`),
    path: taskPath('task-induction'),
    answers: { 200: 'How many assignments the task has, by status.' },
    answer: taskSummaryFields,
  },

  getOwnTaskSummary: {
    text: prose(`
      Counts how far the caller has come with the tasks on their own list: those that others gave them, and those that
      they gave to themselves alone (see *List the caller's own task assignments*). On AWS a change may take a moment to
      show here.`),
    answers: { 200: "How many assignments the caller's own list has, by status." },
    answer: ownSummaryFields,
  },
})
