import * as atom from './atoms.ts'
import { contract, object } from './contract.ts'
import { authorEmbed, bodyFormats, progressStatus, recipient, taskAssignment, taskSummary } from './taskRecords.ts'

const tag = 'Task assignments'
const feature = { name: 'tasks', off: 'FEATURE_DISABLED' } as const

const taskPath = object({ task_id: atom.id }, ['task_id'])
const assignmentPath = object(
  {
    assignment_id: {
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9._,~-]{0,139}$',
      not: { enum: ['batch', 'restore', 'assignments', 'assignments-summary'] },
    },
  },
  ['assignment_id'],
)

const progressFilter = { type: 'array', items: progressStatus } as const
const listAnswer = object(
  { assignments: { type: 'array', items: taskAssignment }, pagination: atom.cursorPagination },
  ['assignments', 'pagination'],
)

export const listOwnTaskAssignments = contract({
  name: 'listOwnTaskAssignments',
  title: "List the caller's own task assignments",
  tag,
  access: 'user',
  scopes: [],
  feature,
  query: object(
    {
      ...atom.cursorPage,
      distribution_kind: {
        type: 'array',
        items: { type: 'string', enum: ['RECEIVED', 'PERSONAL'] },
        contains: { type: 'string', enum: ['RECEIVED', 'PERSONAL'] },
      },
      progress_status: progressFilter,
      ...authorEmbed,
      sort: atom.sortBy(['CREATED_AT', 'UPDATED_AT', 'DUE_AT']),
      ...bodyFormats.parameter,
    },
    ['distribution_kind'],
  ),
  anyCase: bodyFormats.anyCase,
  faultCodes: [
    { at: /^distribution_kind$/, keyword: 'required', code: 'DISTRIBUTION_KIND_UNDEFINED' },
    { at: /^distribution_kind$/, keyword: 'contains', code: 'DISTRIBUTION_KIND_UNDEFINED' },
  ],
  answers: { 200: listAnswer },
  errors: ['DISTRIBUTION_KIND_UNDEFINED', 'FEATURE_DISABLED'],
  experimental: true,
})

const noAssignment = ['TASK_ASSIGNMENT_NOT_FOUND', 'TASK_NOT_FOUND', 'FEATURE_DISABLED'] as const

export const deleteTaskAssignment = contract({
  name: 'deleteTaskAssignment',
  title: 'Take a task away from a recipient',
  tag,
  access: 'user',
  scopes: [],
  feature,
  path: assignmentPath,
  conditional: true,
  answers: { 204: null },
  errors: [...noAssignment, 'TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION'],
  experimental: true,
})

export const finishTaskAssignment = contract({
  name: 'finishTaskAssignment',
  title: "Mark the caller's task assignment as finished",
  tag,
  access: 'user',
  scopes: [],
  feature,
  path: assignmentPath,
  versioned: true,
  conditional: true,
  answers: { 200: taskAssignment },
  errors: [...noAssignment, 'TASK_ASSIGNMENT_CHANGE_CONFLICT'],
  experimental: true,
})

export const openTaskAssignment = contract({
  ...finishTaskAssignment,
  name: 'openTaskAssignment',
  title: "Reopen the caller's task assignment",
})

export const listTaskAssignments = contract({
  name: 'listTaskAssignments',
  title: 'List the assignments of a task, for its author',
  tag,
  access: 'user',
  scopes: [],
  feature,
  path: taskPath,
  query: object(
    {
      ...atom.cursorPage,
      progress_status: progressFilter,
      embed: { type: 'array', items: { type: 'string', enum: ['USER'] } },
      sort: atom.sortBy(['LASTNAME']),
      ...bodyFormats.parameter,
    },
    [],
  ),
  anyCase: bodyFormats.anyCase,
  answers: { 200: listAnswer },
  errors: ['TASK_NOT_FOUND', 'FEATURE_DISABLED'],
  experimental: true,
})

export const addTaskRecipient = contract({
  name: 'addTaskRecipient',
  title: 'Assign a task to a user, or to the members of a channel',
  tag,
  access: 'user',
  scopes: [],
  feature,
  path: taskPath,
  body: object({ recipient }, ['recipient']),
  answers: { 200: taskSummary, 201: taskSummary },
  errors: ['TASK_NOT_FOUND', 'UNKNOWN_USER_ID', 'UNKNOWN_CHANNEL_ID', 'NOT_ADMIN_OF_CHANNEL', 'FEATURE_DISABLED'],
  experimental: true,
})

/** An id, or an object with the id: clients send both. */
const idOrObject = <const P extends Readonly<Record<string, object>>>(others: P) =>
  ({
    ...atom.reference,
    ...object({ id: atom.reference, ...others }, ['id']),
    type: ['string', 'object'],
  }) as const

export const addTaskAssignments = contract({
  name: 'addTaskAssignments',
  title: 'Assign a task to up to 100 users',
  tag,
  access: 'user',
  scopes: [],
  feature,
  path: taskPath,
  body: object(
    {
      user_ids: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: idOrObject({ type: { type: 'string', enum: ['USER'] } }),
      },
    },
    ['user_ids'],
  ),
  answers: { 200: taskSummary, 201: taskSummary },
  errors: ['TASK_NOT_FOUND', 'UNKNOWN_USER_ID', 'FEATURE_DISABLED'],
  experimental: true,
})

export const deleteTaskAssignments = contract({
  name: 'deleteTaskAssignments',
  title: 'Take a task away from up to 100 recipients: all of them or none',
  tag,
  access: 'user',
  scopes: [],
  feature,
  path: taskPath,
  body: object({ assignment_ids: { type: 'array', minItems: 1, maxItems: 100, items: idOrObject({}) } }, [
    'assignment_ids',
  ]),
  answers: { 200: taskSummary },
  errors: [
    'TASK_NOT_FOUND',
    'UNKNOWN_TASK_ASSIGNMENT_ID',
    'TASK_ASSIGNMENT_NOT_FOUND',
    'TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION',
    'FEATURE_DISABLED',
  ],
  experimental: true,
})
