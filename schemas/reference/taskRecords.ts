import * as records from '../taskRecords.ts'
import { fieldsOf } from './describe.ts'
import { userReferenceFields } from './shared.ts'

/** The forms of a task's body in the answer. */
export const bodyFormat = [
  'Only these forms of the body of a task: `PLAIN`, `DELTA`, `HTML`, in any letter case. By default all.',
  ['PLAIN'],
] as const

/** The limit of lists of tasks. */
export const longTasks = `**Limits:** a page of very long tasks may have fewer than \`page_limit\` items, as an answer has at most
  6 MB. \`has_more\` says whether there are more.`

/** Whether reads of tasks show who asked. */
export const authorEmbed = ['`AUTHOR` adds the `author` to each task.', ['AUTHOR']] as const

export const taskPath = (example: string) => ({ task_id: ['The id of the task.', example] }) as const

const dueAtFields = fieldsOf(records.dueAt)({
  due_at_type: ['`DATE`: on a day. `DATE_TIME`: at a moment.', 'DATE'],
  date: ['The day, `YYYY-MM-DD`, in UTC. Only with `DATE`.', '2026-12-05'],
  date_time: ['The moment: RFC 3339, UTC, milliseconds. Only with `DATE_TIME`.', '2026-12-05T16:00:00.000Z'],
})

const givenDueAt = {
  date: ['With `DATE`: a real day, `YYYY-MM-DD`. It may have passed.', '2030-01-31'],
  date_time: [
    'With `DATE_TIME`: a real moment, RFC 3339 with any offset. It may have passed.',
    '2030-01-31T17:00:00+01:00',
  ],
} as const

export const givenDueAtFields = fieldsOf(records.givenDueAt)({
  due_at_type: ['`DATE`: on the day in `date`. `DATE_TIME`: at the moment in `date_time`.', 'DATE'],
  ...givenDueAt,
})

export const patchedDueAtFields = fieldsOf(records.patchedDueAt)({
  due_at_type: [
    '`DATE` or `DATE_TIME`. Without it, the task keeps its type; with another type, the old date or moment is removed.',
    'DATE',
  ],
  ...givenDueAt,
})

const delta = '{"ops":[{"insert":"Meet at the gate.\\n"}]}'
const bodyFields = fieldsOf(records.taskBody)({
  plain: ['The text as plain text, with line breaks. Missing if there is none.', 'Meet at the gate.'],
  delta: ['The text as a Quill delta, which is a JSON text. Missing if there is none.', delta],
  html: ['The text as HTML, cleaned. Missing if there is none.', '<p>Meet at the gate.</p>'],
})

export const givenBodyFields = fieldsOf(records.givenBody)({
  plain: ['Plain text. If it is missing, it is derived from another form.', 'Meet at the gate.'],
  delta: [
    'A Quill delta as a JSON text. Links other than http, https, mail or telephone are removed, and images and videos that are not https.',
    delta,
  ],
  html: [
    'HTML. The output of rich-text editors is kept: formats, lists, tables, links to http, https, mail and telephone, https images. Scripts, styles, forms, comments and everything else are removed.',
    '<p>Meet at the gate.</p>',
  ],
  content_format: [
    'Another way to send a body: the form of the text, which is in `contentPlain`, `contentDelta` or `contentHtml`. Not together with `plain`, `delta` and `html`.',
    'PLAIN',
  ],
  contentPlain: ['Plain text. Only together with `content_format`.', 'Meet at the gate.'],
  contentDelta: ['A Quill delta as a JSON text. Only together with `content_format`.', delta],
  contentHtml: ['HTML, cleaned like `html`. Only together with `content_format`.', '<p>Meet at the gate.</p>'],
})

export const recipientFields = fieldsOf(records.recipient)({
  id: ['The id of an active user, or of an active channel that the caller owns.', 'user-025'],
  type: ['`USER`: one user. `CHANNEL`: all active members of the channel except the author.', 'USER'],
})

const progress =
  '`NEW`: given, not yet read. `OPEN`: the recipient has read the task, or reopened it. `FINISHED`: they have marked it as finished.'

const byProgress = {
  total: ['The number of assignments.', 4],
  items: [
    'The number for each status: always all three, in this order.',
    { status: [progress, 'NEW'], count: ['How many assignments have this status.', 1] },
    [
      { status: 'NEW', count: 1 },
      { status: 'OPEN', count: 1 },
      { status: 'FINISHED', count: 2 },
    ],
  ],
} as const

const distribution = [
  'Whether all recipients have the task yet. Very many recipients get it within seconds after the answer.',
  {
    state: ['`RUNNING`: some recipients do not have it yet. `DONE`: all have it.', 'DONE'],
    total: ['The number of recipients, including those who do not have the task yet.', 4],
    done: ['How many of them have it.', 4],
  },
] as const

export const taskSummaryFields = fieldsOf(records.taskSummary)({ ...byProgress, distribution })
export const ownSummaryFields = fieldsOf(records.ownSummary)(byProgress)

const task = {
  id: ['The id of the task.', 'task-induction'],
  external_id: [
    'The id of the task in another system, or null. Unique among the tasks of one author.',
    'T-task-induction',
  ],
  title: ['The title: one line.', 'Show the new colleagues around'],
  body: ['What is to be done, in one to three forms of the same text. Empty if there is no text.', bodyFields],
  author_id: ['The id of the user who created the task.', 'service-account-admin'],
  due_at: ['When the task is due, or null.', dueAtFields, { due_at_type: 'DATE', date: '2026-12-05' }],
  distribution_kind: [
    'The kind of the task for the caller. `PERSONAL`: they are its author and only recipient. `RECEIVED`: another user is its author. `DISTRIBUTED`: they are its author, and others have it.',
    'DISTRIBUTED',
  ],
  created_at: ['When the task was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: [
    'When the content of the task last changed: RFC 3339, UTC, milliseconds. Changes of recipients and progress do not count.',
    '2026-11-21T09:00:00.000Z',
  ],
  author: ['The user who created the task. Only with `embed=AUTHOR`.', userReferenceFields],
} as const

export const taskFields = fieldsOf(records.task)({
  ...task,
  settings: ['Data that clients store with the task: any JSON object, or null.', { colour: 'red' }],
  progress_status: [
    'The progress of the whole task. `OPEN`: no recipient has finished it. `FINISHED`: all recipients have the task and have finished it. `IN_PROGRESS`: some have.',
    'IN_PROGRESS',
  ],
  distribution,
  assignment_summary: ['The progress of the recipients. Only for the author.', taskSummaryFields],
})

export const taskAssignmentFields = fieldsOf(records.taskAssignment)({
  id: [
    'The id of the assignment. It stays the same if a user is removed from the task and added again. Up to 140 characters.',
    'task-induction~user-026',
  ],
  task_id: ['The id of the task.', 'task-induction'],
  user_id: ['The id of the recipient.', 'user-026'],
  progress_status: [progress, 'OPEN'],
  created_at: ['When the recipient was given the task: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: [
    'When the progress last changed: RFC 3339, UTC, milliseconds. A call that changes nothing keeps it.',
    '2026-11-21T09:00:00.000Z',
  ],
  recipient: [
    "The recipient, with `embed=USER`; otherwise null. Always null in the caller's own list.",
    userReferenceFields,
  ],
  task: ['The task as the caller sees it.', fieldsOf(records.assignedTask)(task)],
})
