import * as records from '../taskRecords.ts'
import { fieldsOf } from './describe.ts'
import { userReferenceFields } from './shared.ts'

/** Which forms of a task's body a call is answered with. */
export const bodyFormat = [
  'Only these forms of the body of a task: `PLAIN`, `DELTA`, `HTML`, in any letter case. All if it is not given.',
  ['PLAIN'],
] as const

/** What lists of tasks have besides the limits of every list. */
export const longTasks = `**Limits:** a page of very long tasks may hold fewer than \`page_limit\`, as an answer has at most
  6 MB; so go by \`has_more\`.`

export const taskPath = (example: string) => ({ task_id: ['The id of the task.', example] }) as const

const dueAtFields = fieldsOf(records.dueAt)({
  due_at_type: ['`DATE`: on a day. `DATE_TIME`: at a moment.', 'DATE'],
  date: ['The day, `YYYY-MM-DD`, which is over with its last instant in UTC. Only with `DATE`.', '2026-12-05'],
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
  due_at_type: ['`DATE`: on a day, which `date` names. `DATE_TIME`: at a moment, which `date_time` names.', 'DATE'],
  ...givenDueAt,
})

export const patchedDueAtFields = fieldsOf(records.patchedDueAt)({
  due_at_type: [
    '`DATE` or `DATE_TIME`. Without it, the task keeps its type; with another one, what the former type named is gone.',
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
  plain: ['Plain text. If only another form is given, it is worked out from that.', 'Meet at the gate.'],
  delta: [
    'A Quill delta as a JSON text. Links that lead elsewhere than to http, https, mail or telephone go, and images and videos that do not come by https.',
    delta,
  ],
  html: [
    'HTML. What a rich-text editor makes stays: its formats, lists, tables, links to http, https, mail and telephone, images by https. Scripts, styles, forms, comments and all else go.',
    '<p>Meet at the gate.</p>',
  ],
  content_format: [
    'Another way of writing a body: the form that was written, which is in `contentPlain`, `contentDelta` or `contentHtml`. Not together with `plain`, `delta` and `html`.',
    'PLAIN',
  ],
  contentPlain: ['Plain text. Only together with `content_format`.', 'Meet at the gate.'],
  contentDelta: ['A Quill delta as a JSON text. Only together with `content_format`.', delta],
  contentHtml: ['HTML, cleaned like `html`. Only together with `content_format`.', '<p>Meet at the gate.</p>'],
})

export const recipientFields = fieldsOf(records.recipient)({
  id: ['The id of an active user, or of an active channel that the caller owns.', 'user-025'],
  type: ['`USER`: one user. `CHANNEL`: every active member of the channel but the author.', 'USER'],
})

const progress =
  '`NEW`: given, not yet read. `OPEN`: the recipient has read the task, or reopened it. `FINISHED`: they have marked it as finished.'

const byProgress = {
  total: ['How many assignments there are in all.', 4],
  items: [
    'How many there are of each status: always all three, in this order.',
    { status: [progress, 'NEW'], count: ['How many assignments have this status.', 1] },
    [
      { status: 'NEW', count: 1 },
      { status: 'OPEN', count: 1 },
      { status: 'FINISHED', count: 2 },
    ],
  ],
} as const

const distribution = [
  'How far the task has been given to its recipients. With very many of them this goes on for some seconds after the answer.',
  {
    state: ['`RUNNING`: some of them have yet to get it. `DONE`: all have it.', 'DONE'],
    total: ['How many recipients there are, with those who have yet to get the task.', 4],
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
  body: ['What is to be done, in one to three forms of the same text. Empty if nothing is said.', bodyFields],
  author_id: ['The id of the user who created the task.', 'service-account-admin'],
  due_at: ['When the task is due, or null.', dueAtFields, { due_at_type: 'DATE', date: '2026-12-05' }],
  distribution_kind: [
    'What the task is for the caller now. `PERSONAL`: they are its author and only recipient. `RECEIVED`: another user is its author. `DISTRIBUTED`: they are its author, and others have it.',
    'DISTRIBUTED',
  ],
  created_at: ['When the task was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: [
    'When the content of the task last changed: RFC 3339, UTC, milliseconds. Recipients and their progress do not change it.',
    '2026-11-21T09:00:00.000Z',
  ],
} as const

export const taskFields = fieldsOf(records.task)({
  ...task,
  settings: ['What clients keep with the task: any JSON object, or null.', { colour: 'red' }],
  progress_status: [
    'How far the task has come as a whole. `OPEN`: no recipient has finished it. `FINISHED`: all recipients have, and all of them have got it. `IN_PROGRESS`: some have.',
    'IN_PROGRESS',
  ],
  distribution,
  assignment_summary: ['How far the recipients have come. Only for the author.', taskSummaryFields],
})

export const taskAssignmentFields = fieldsOf(records.taskAssignment)({
  id: [
    'The id of the assignment, the same when a user is removed from the task and added again. Up to 140 characters.',
    'task-induction~user-026',
  ],
  task_id: ['The id of the task.', 'task-induction'],
  user_id: ['The id of the recipient.', 'user-026'],
  progress_status: [progress, 'OPEN'],
  created_at: ['When the recipient was given the task: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: [
    'When the progress last changed: RFC 3339, UTC, milliseconds. A call that changes nothing leaves it.',
    '2026-11-21T09:00:00.000Z',
  ],
  recipient: ['The recipient with `embed=USER`; else, and on the own list always, null.', userReferenceFields],
  task: ['The task as the caller sees it.', fieldsOf(records.assignedTask)(task)],
})
