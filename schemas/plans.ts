import * as atom from './atoms.ts'
import { contract, nullable, object } from './contract.ts'
import { errors } from './errors.ts'
import { trims } from './sections.ts'
import { userPatch } from './userRecords.ts'
import { statuses, userRoles } from './userStates.ts'

const tag = 'Plans'
const path = object({ plan_id: atom.id }, ['plan_id'])

/** What can be done with a user, beside updates and roles in groups. */
export const lifeCycleActions = ['LOCK', 'UNLOCK', 'DEACTIVATE', 'REACTIVATE', 'DELETE', 'RESTORE'] as const
export const planActions = ['CREATE', 'UPDATE', ...lifeCycleActions, 'ASSIGN', 'UNASSIGN'] as const
export const planStates = [
  'WAITING',
  'CHECKING',
  'READY',
  'REFUSED',
  'APPLYING',
  'DONE',
  'CANCELLED',
  'EXPIRED',
] as const
export const planKinds = ['SELECTION', 'FILE', 'UNDO'] as const
export const outcomes = ['PLANNED', 'DONE', 'SKIPPED', 'FAILED'] as const

/** One of some words, or a list of them. */
const oneOrMore = <const T extends readonly string[]>(words: T) =>
  ({
    type: ['string', 'array'],
    pattern: `^(?:${words.join('|')})$`,
    minItems: 1,
    maxItems: 10,
    items: { type: 'string', enum: words },
  }) as const

/** A reference in which a blank is a fault: it must not mean that nothing was given. */
const named = { ...atom.reference, format: 'visible' } as const

/** Which users a plan is about. The operation checks what goes together. */
const selection = object(
  {
    all: { type: 'boolean', enum: [true] },
    user_ids: { type: 'array', minItems: 1, maxItems: 10_000, items: named },
    search_term: { ...atom.searchTerm, minLength: 1, format: 'visible' },
    status: oneOrMore(statuses),
    role: oneOrMore(userRoles),
    attribute_technical_name: named,
    attribute_value: named,
    tag: atom.line(1, 64),
    user_group_id: named,
    role_id: named,
  },
  [],
)

const { role, required_actions, attributes, tags, profile_picture, preferred_language, primary_user_group_id } =
  userPatch.properties
const someTags = { type: 'array', maxItems: 50, items: atom.line(1, 64) } as const

/** A patch without what belongs to one person alone. */
const update = {
  ...object(
    {
      role,
      required_actions,
      attributes,
      /** The whole list, or what to add and to remove. */
      tags: {
        ...tags,
        type: ['array', 'object', 'null'],
        properties: { add: someTags, remove: someTags },
        additionalProperties: false,
        minProperties: 1,
      },
      profile_picture,
      preferred_language,
      primary_user_group_id,
    },
    [],
  ),
  minProperties: 1,
} as const

const groupRole = object({ user_group_id: named, role_id: named }, ['user_group_id', 'role_id'])

/** What is done with each of the users. */
const change = {
  ...object({ action: { type: 'string', enum: lifeCycleActions }, update, assign: groupRole, unassign: groupRole }, []),
  minProperties: 1,
  maxProperties: 1,
} as const

/** What is done with a file. The operation checks what goes together. */
const ofFile = {
  format: { type: 'string', enum: ['CSV', 'JSONL'] },
  match_by: { type: 'string', enum: ['EXTERNAL_ID', 'USERNAME', 'ID'] },
  mode: { type: 'string', enum: ['DELTA', 'FULL'] },
  /** The fields of headers, where the headers do not say so; null leaves a column out. */
  columns: { type: 'object', maxProperties: 1_000, additionalProperties: nullable(named) },
  empty: { type: 'string', enum: ['IGNORE', 'CLEAR'] },
  pending: { type: 'string', enum: ['FAULT', 'RESTORE'] },
  unlock: { type: 'boolean' },
  absent: { type: 'string', enum: ['KEEP', 'DEACTIVATE', 'DELETE'] },
  absent_among: selection,
  include_administrators: { type: 'boolean' },
  on_fault: { type: 'string', enum: ['SKIP', 'REFUSE'] },
} as const

const percent = { type: 'number', minimum: 0, maximum: 100 } as const

const count = { type: 'integer', minimum: 0 } as const
/** What a plan counts: rows and people, or changes. */
export const countNames = [
  'rows',
  'creations',
  'updates',
  'lifecycle',
  'assignments',
  'unchanged',
  'faults',
  'absent',
  'planned',
  'done',
  'skipped',
  'failed',
] as const
const counts = object(
  Object.fromEntries(countNames.map((name) => [name, count])) as Record<(typeof countNames)[number], typeof count>,
  countNames,
)

const code = { type: 'string', enum: Object.keys(errors) } as const
const problem = object({ code, detail: { type: 'string' } }, ['code', 'detail'])
const text = { type: ['string', 'null'] } as const

/** A plan. */
export const plan = object(
  {
    id: { type: 'string' },
    kind: { type: 'string', enum: planKinds },
    title: text,
    state: { type: 'string', enum: planStates },
    request: { type: 'object' },
    counts,
    progress: nullable(object({ done: count, total: count }, ['done', 'total'])),
    fault: nullable(problem),
    created_by: { type: 'string' },
    created_at: atom.moment,
    checked_at: nullable(atom.moment),
    applied_by: text,
    applied_at: nullable(atom.moment),
    finished_at: nullable(atom.moment),
    expires_at: nullable(atom.moment),
    deletes_at: nullable(atom.moment),
    undone_by: text,
    ignored_columns: { type: 'array', items: { type: 'string' } },
  },
  [
    'id',
    'kind',
    'title',
    'state',
    'request',
    'counts',
    'progress',
    'fault',
    'created_by',
    'created_at',
    'checked_at',
    'applied_by',
    'applied_at',
    'finished_at',
    'expires_at',
    'deletes_at',
    'undone_by',
    'ignored_columns',
  ],
)

const reader = ['READ', 'USERS'] as const

export const listPlans = contract({
  name: 'listPlans',
  title: 'List plans',
  tag,
  access: 'administrator',
  scopes: reader,
  query: object(
    {
      ...atom.cursorPage,
      state: { type: 'array', items: { type: 'string', enum: planStates } },
      kind: { type: 'array', items: { type: 'string', enum: planKinds } },
    },
    [],
  ),
  answers: {
    200: object({ plans: { type: 'array', items: plan }, pagination: atom.cursorPagination }, ['plans', 'pagination']),
  },
  errors: [],
})

export const createPlan = contract({
  name: 'createPlan',
  title: 'Plan changes of users',
  tag,
  access: 'administrator',
  scopes: ['USERS'],
  body: object(
    {
      kind: { type: 'string', enum: planKinds },
      title: nullable(atom.line(1, 255)),
      select: selection,
      change,
      ...ofFile,
      limits: object(
        {
          changed_percent: percent,
          lifecycle_percent: percent,
          cleared_percent: percent,
          changes: { ...count, maximum: 1_000_000 },
        },
        [],
      ),
      plan_id: atom.reference,
    },
    ['kind'],
  ),
  trims: trims.user_group_rules,
  faultCodes: [{ at: /^change\.update\./, keyword: 'maxLength', code: 'MAX_LENGTH_EXCEEDED' }],
  versioned: true,
  repeatable: 'PLAN_NOT_FOUND',
  answers: { 201: plan },
  errors: [
    'PLAN_NOT_FOUND',
    'PLAN_STATE_CONFLICT',
    'PLANS_LIMIT_EXCEEDED',
    'FEATURE_NOT_ENABLED',
    'MAX_LENGTH_EXCEEDED',
    'INVALID_DATE_ATTRIBUTE_FORMAT',
    'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND',
    'UNKNOWN_USER_GROUP_ID',
    'LANGUAGE_NOT_ENABLED',
    'ROLE_DOES_NOT_EXIST',
    'ROLE_HAS_WRONG_PERMISSION_SCOPE',
    'ROLE_NOT_ASSIGNABLE',
    'USER_GROUP_ARCHIVED',
  ],
})

export const getPlan = contract({
  name: 'getPlan',
  title: 'Read a plan',
  tag,
  access: 'administrator',
  scopes: reader,
  path,
  versioned: true,
  answers: { 200: plan },
  errors: ['PLAN_NOT_FOUND'],
})

/** A value before and after a change, as a user's answer or patch has it. */
const changedField = object({ field: { type: 'string' }, before: {}, after: {} }, ['field', 'before', 'after'])

/** One change of one user. */
export const planChange = object(
  {
    number: { type: 'integer' },
    row: { type: ['integer', 'null'] },
    user: nullable(atom.userReference),
    action: { type: 'string', enum: planActions },
    fields: { type: 'array', items: changedField },
    outcome: { type: 'string', enum: outcomes },
    error: nullable(problem),
  },
  ['number', 'row', 'user', 'action', 'fields', 'outcome', 'error'],
)

export const listPlanChanges = contract({
  name: 'listPlanChanges',
  title: 'List the changes of a plan',
  tag,
  access: 'administrator',
  scopes: reader,
  path,
  query: object(
    {
      ...atom.cursorPage,
      action: { type: 'array', items: { type: 'string', enum: planActions } },
      outcome: { type: 'array', items: { type: 'string', enum: outcomes } },
    },
    [],
  ),
  answers: {
    200: object({ changes: { type: 'array', items: planChange }, pagination: atom.cursorPagination }, [
      'changes',
      'pagination',
    ]),
  },
  errors: ['PLAN_NOT_FOUND'],
})

/** A row, or a user of a selection, for which nothing can be planned. */
export const planFault = object(
  { row: { type: ['integer', 'null'] }, column: text, code, detail: { type: 'string' } },
  ['row', 'column', 'code', 'detail'],
)

export const listPlanFaults = contract({
  name: 'listPlanFaults',
  title: 'List the faults of a plan',
  tag,
  access: 'administrator',
  scopes: reader,
  path,
  query: object({ ...atom.cursorPage, format: { type: 'string', enum: ['JSON', 'CSV'] } }, []),
  text: 'text/csv',
  answers: {
    200: object({ faults: { type: 'array', items: planFault }, pagination: atom.cursorPagination }, [
      'faults',
      'pagination',
    ]),
  },
  errors: ['PLAN_NOT_FOUND'],
})

/** The most parts of a file, and its most bytes. */
const MOST_PARTS = 1_000
const MOST_BYTES = 500 * 1024 * 1024
const MOST_ROWS = 1_000_000

export const putPlanPart = contract({
  name: 'putPlanPart',
  title: 'Upload a part of the file of a plan',
  tag,
  access: 'administrator',
  scopes: ['USERS'],
  path: object({ plan_id: atom.id, n: { type: 'string', pattern: '^(?:[1-9][0-9]{0,2}|1000)$' } }, ['plan_id', 'n']),
  bytes: true,
  answers: { 204: null },
  errors: ['PLAN_NOT_FOUND', 'PLAN_STATE_CONFLICT'],
})

export const checkPlanFile = contract({
  name: 'checkPlanFile',
  title: 'Check the uploaded file of a plan',
  tag,
  access: 'administrator',
  scopes: ['USERS'],
  path,
  body: object(
    {
      parts: { type: 'integer', minimum: 1, maximum: MOST_PARTS },
      bytes: { type: 'integer', minimum: 1, maximum: MOST_BYTES },
      sha256: { type: 'string', pattern: '^[0-9A-Fa-f]{64}$' },
      rows: { type: 'integer', minimum: 0, maximum: MOST_ROWS },
    },
    ['parts', 'bytes', 'sha256'],
  ),
  versioned: true,
  answers: { 202: plan },
  errors: ['PLAN_NOT_FOUND', 'PLAN_STATE_CONFLICT', 'PLAN_FILE_INCOMPLETE'],
})

export const applyPlan = contract({
  name: 'applyPlan',
  title: 'Make the changes of a plan',
  tag,
  access: 'administrator',
  scopes: ['USERS'],
  path,
  body: object({ planned: count }, ['planned']),
  versioned: true,
  answers: { 202: plan },
  errors: ['PLAN_NOT_FOUND', 'PLAN_STATE_CONFLICT'],
})

export const cancelPlan = contract({
  name: 'cancelPlan',
  title: 'Cancel a plan',
  tag,
  access: 'administrator',
  scopes: ['USERS'],
  path,
  versioned: true,
  answers: { 200: plan },
  errors: ['PLAN_NOT_FOUND', 'PLAN_STATE_CONFLICT'],
})
