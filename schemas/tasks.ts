import * as atom from './atoms.ts'
import { contract, nullable, object } from './contract.ts'
import { trims } from './sections.ts'
import {
  authorEmbed,
  bodyFormats,
  givenBody,
  givenDueAt,
  ownSummary,
  patchedDueAt,
  recipient,
  task,
  taskSummary,
} from './taskRecords.ts'

const tag = 'Tasks'
const feature = { name: 'tasks', off: 'FEATURE_DISABLED' } as const
const taskPath = object({ task_id: atom.id }, ['task_id'])

/** Any fault within a due date has the code INVALID_DUE_DATE. */
const dueDateCodes = (['type', 'required', 'enum', 'pattern'] as const).map((keyword) => ({
  at: /^due_at(\.|$)/,
  keyword,
  code: 'INVALID_DUE_DATE' as const,
}))

const settings = { type: ['object', 'null'] } as const
const externalId = nullable(atom.line(1, 255))
const title = atom.line(1, 150)

export const listTasks = contract({
  name: 'listTasks',
  title: 'List the tasks that the caller created or received',
  tag,
  access: 'user',
  scopes: [],
  feature,
  query: object(
    {
      ...atom.cursorPage,
      distribution_kind: { type: 'array', items: { type: 'string', enum: ['DISTRIBUTED', 'RECEIVED', 'PERSONAL'] } },
      progress_status: { type: 'array', items: { type: 'string', enum: ['OPEN', 'FINISHED'] } },
      external_id: { type: 'string', maxLength: 255 },
      ...authorEmbed,
      sort: atom.sortBy(['DUE_AT', 'UPDATED_AT']),
      ...bodyFormats.parameter,
    },
    [],
  ),
  anyCase: bodyFormats.anyCase,
  answers: {
    200: object({ tasks: { type: 'array', items: task }, pagination: atom.cursorPagination }, ['tasks', 'pagination']),
  },
  errors: ['FEATURE_DISABLED'],
})

export const createTask = contract({
  name: 'createTask',
  title: 'Create a task and give it to users or to the members of a channel',
  tag,
  access: 'user',
  scopes: [],
  feature,
  body: object(
    {
      id: nullable(atom.id),
      external_id: externalId,
      title,
      body: nullable(givenBody),
      due_at: nullable(givenDueAt),
      settings,
      recipients: { type: 'array', minItems: 1, maxItems: 1000, items: recipient },
    },
    ['title', 'recipients'],
  ),
  trims: trims.tasks,
  faultCodes: [
    ...dueDateCodes,
    ...(['required', 'type', 'minItems'] as const).map((keyword) => ({
      at: /^recipients$/,
      keyword,
      code: 'NO_RECIPIENTS' as const,
    })),
  ],
  versioned: true,
  repeatable: 'TASK_NOT_FOUND',
  answers: { 201: task },
  errors: [
    'NO_RECIPIENTS',
    'DIFFERENT_RECIPIENT_TYPES',
    'RECIPIENTS_CHANNEL_LIMIT_EXCEEDED',
    'INVALID_DUE_DATE',
    'UNKNOWN_USER_ID',
    'UNKNOWN_CHANNEL_ID',
    'NOT_ADMIN_OF_CHANNEL',
    'DUPLICATE_ID',
    'DUPLICATE_EXTERNAL_ID',
    'FEATURE_DISABLED',
  ],
})

export const getTask = contract({
  name: 'getTask',
  title: 'Read a task, which opens it for a recipient',
  tag,
  access: 'user',
  scopes: [],
  feature,
  path: taskPath,
  query: object({ ...authorEmbed, ...bodyFormats.parameter }, []),
  anyCase: bodyFormats.anyCase,
  versioned: true,
  answers: { 200: task },
  errors: ['TASK_NOT_FOUND', 'FEATURE_DISABLED'],
})

/** Fields of a task that clients may send back in a patch; they are ignored. */
const readOnly = {
  id: {},
  author_id: {},
  author: {},
  distribution_kind: {},
  created_at: {},
  updated_at: {},
  recipients: {},
  progress_status: {},
  assignment_summary: {},
  distribution: {},
} as const

export const updateTask = contract({
  name: 'updateTask',
  title: 'Change a task, for its author',
  tag,
  access: 'user',
  scopes: [],
  feature,
  path: taskPath,
  body: object(
    {
      external_id: externalId,
      title,
      body: nullable(givenBody),
      due_at: nullable(patchedDueAt),
      settings,
      ...readOnly,
    },
    [],
  ),
  mergePatch: true,
  trims: trims.tasks,
  faultCodes: dueDateCodes,
  versioned: true,
  conditional: true,
  answers: { 200: task },
  errors: ['INVALID_DUE_DATE', 'TASK_NOT_FOUND', 'DUPLICATE_EXTERNAL_ID', 'FEATURE_DISABLED'],
})

export const deleteTask = contract({
  name: 'deleteTask',
  title: 'Delete a task with all of its assignments, for its author',
  tag,
  access: 'user',
  scopes: [],
  feature,
  path: taskPath,
  conditional: true,
  answers: { 204: null },
  errors: ['TASK_NOT_FOUND', 'FEATURE_DISABLED'],
})

export const getTaskSummary = contract({
  name: 'getTaskSummary',
  title: 'Count the progress of the recipients of a task, for its author',
  tag,
  access: 'user',
  scopes: [],
  feature,
  path: taskPath,
  answers: { 200: taskSummary },
  errors: ['TASK_NOT_FOUND', 'FEATURE_DISABLED'],
})

export const getOwnTaskSummary = contract({
  name: 'getOwnTaskSummary',
  title: "Count the caller's progress with their own tasks",
  tag,
  access: 'user',
  scopes: [],
  feature,
  answers: { 200: ownSummary },
  errors: ['FEATURE_DISABLED'],
})
