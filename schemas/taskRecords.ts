import * as atom from './atoms.ts'
import { nullable, object } from './contract.ts'

const progressStatuses = ['NEW', 'OPEN', 'FINISHED'] as const
/** The forms of a body that the answer has. */
const bodyFormat = { type: 'array', items: { type: 'string', enum: ['PLAIN', 'DELTA', 'HTML'] } } as const
/** The query parameter of every read of tasks; its values may have any letter case. */
export const bodyFormats = { parameter: { body_format: bodyFormat }, anyCase: ['body_format'] } as const
/** The query parameter by which reads of tasks show who asked. */
export const authorEmbed = { embed: { type: 'array', items: { type: 'string', enum: ['AUTHOR'] } } } as const
/** The progress of a recipient. */
export const progressStatus = { type: 'string', enum: progressStatuses } as const

const form = { type: 'string' } as const
/** When a task is due: on a day, or at a moment. */
export const dueAt = object(
  {
    due_at_type: { type: 'string', enum: ['DATE', 'DATE_TIME'] },
    date: { type: 'string', format: 'date' },
    date_time: atom.moment,
  },
  ['due_at_type'],
)

const dueAtFields = {
  due_at_type: { type: 'string', enum: ['DATE', 'DATE_TIME'] },
  date: { type: ['string', 'null'] },
  date_time: { type: ['string', 'null'] },
} as const
/** When a task is due, in a request. */
export const givenDueAt = object(dueAtFields, ['due_at_type'])
/** A patch of it. */
export const patchedDueAt = object(dueAtFields, [])

const givenForm = nullable(atom.text(50_000))
/** A body in a request, under either set of names; all forms together have up to 50,000 characters. */
export const givenBody = object(
  {
    plain: givenForm,
    delta: givenForm,
    html: givenForm,
    content_format: { type: ['string', 'null'], enum: ['PLAIN', 'DELTA', 'HTML', null] },
    contentPlain: givenForm,
    contentDelta: givenForm,
    contentHtml: givenForm,
  },
  [],
)

/** A recipient of a task: a user, or the members of a channel. */
export const recipient = object({ id: atom.reference, type: { type: 'string', enum: ['USER', 'CHANNEL'] } }, [
  'id',
  'type',
])

/** The text of a task, in each form that is stored. */
export const taskBody = object({ plain: form, delta: form, html: form }, [])

const taskProperties = {
  id: { type: 'string' },
  external_id: { type: ['string', 'null'] },
  title: { type: 'string' },
  body: taskBody,
  author_id: { type: 'string' },
  due_at: nullable(dueAt),
  distribution_kind: { type: 'string', enum: ['PERSONAL', 'RECEIVED', 'DISTRIBUTED'] },
  created_at: atom.moment,
  updated_at: atom.moment,
  author: { ...atom.userReference, description: 'Only with embed=AUTHOR' },
} as const
const taskRequired = [
  'id',
  'external_id',
  'title',
  'body',
  'author_id',
  'due_at',
  'distribution_kind',
  'created_at',
  'updated_at',
] as const

/** The number of assignments by status; always lists every status. */
const byProgress = {
  total: { type: 'integer' },
  items: {
    type: 'array',
    minItems: 3,
    maxItems: 3,
    items: object({ status: progressStatus, count: { type: 'integer', minimum: 0 } }, ['status', 'count']),
  },
} as const

/** Whether all recipients have the task: RUNNING while some do not have it yet. */
const distribution = object(
  {
    state: { type: 'string', enum: ['RUNNING', 'DONE'] },
    total: { type: 'integer', minimum: 0 },
    done: { type: 'integer', minimum: 0 },
  },
  ['state', 'total', 'done'],
)

/** The progress of the recipients of a task. */
export const taskSummary = object({ ...byProgress, distribution }, ['total', 'items', 'distribution'])

/** The progress of a user with their own tasks. */
export const ownSummary = object(byProgress, ['total', 'items'])

/** A task in its assignments. */
export const assignedTask = object(taskProperties, taskRequired)

/** A task, for its author and its recipients. */
export const task = object(
  {
    ...taskProperties,
    settings: { type: ['object', 'null'] },
    progress_status: { type: 'string', enum: ['OPEN', 'IN_PROGRESS', 'FINISHED'] },
    distribution,
    assignment_summary: taskSummary,
  },
  [...taskRequired, 'settings', 'progress_status', 'distribution'],
)

/** The assignment of a task to one recipient. */
export const taskAssignment = object(
  {
    id: { type: 'string', maxLength: 140 },
    task_id: { type: 'string' },
    user_id: { type: 'string' },
    progress_status: progressStatus,
    created_at: atom.moment,
    updated_at: atom.moment,
    recipient: { ...atom.userReference, type: ['object', 'null'] },
    task: assignedTask,
  },
  ['id', 'task_id', 'user_id', 'progress_status', 'created_at', 'updated_at', 'recipient', 'task'],
)
