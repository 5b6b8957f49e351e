import { roleReference } from './assignments.ts'
import * as atom from './atoms.ts'
import { contract, nullable, object } from './contract.ts'
import { trims } from './sections.ts'

const tag = 'User group rules'
/** Conditions, and a preview of them, tell what users are: who may not read users would learn it by trying. */
const mayTest = [
  ['USER_GROUPS', 'READ'],
  ['USER_GROUPS', 'USERS'],
] as const
const rulePath = object({ rule_id: atom.id }, ['rule_id'])

/** How a condition compares; the last two have no values. */
export const operators = ['EQUALS', 'NOT_EQUALS', 'STARTS_WITH', 'CONTAINS', 'IS_SET', 'IS_NOT_SET'] as const
/** Whether a user must meet all conditions, or any of them. */
export const matchModes = ['ALL', 'ANY'] as const

/** The fields that a condition can test. A technical name has the form of an id. */
const fields = '^(ATTRIBUTE:.{1,255}|EMAIL_DOMAIN|ROLE|TAG|PRIMARY_USER_GROUP|USERNAME|EXTERNAL_ID|PREFERRED_LANGUAGE)$'

const conditionInput = object(
  {
    field: { type: 'string', pattern: fields },
    operator: { type: 'string', enum: operators },
    values: { type: ['array', 'null'], maxItems: 100, items: atom.reference },
  },
  ['field', 'operator'],
)

/** The part of a rule that creation, patch and preview take. Operations check which operators and values a field allows. */
const matching = {
  match: { type: ['string', 'null'], enum: [...matchModes, null] },
  conditions: { type: 'array', minItems: 1, maxItems: 10, items: conditionInput },
  except_user_ids: { type: ['array', 'null'], maxItems: 100, items: atom.reference },
} as const
const enabled = { type: ['boolean', 'null'] } as const
const title = atom.line(1, 120)

/** A rule in its creation, and in an import file. */
export const ruleCreation = {
  ...matching,
  id: nullable(atom.id),
  title,
  user_group_id: atom.reference,
  role_id: atom.reference,
  enabled,
} as const
export const requiredOfRule = ['title', 'user_group_id', 'role_id', 'conditions'] as const

/** A rule in answers. */
export const rule = object(
  {
    id: { type: 'string' },
    title: { type: 'string' },
    user_group: atom.groupReference,
    role: roleReference,
    match: { type: 'string', enum: matchModes },
    conditions: {
      type: 'array',
      items: object(
        {
          field: { type: 'string' },
          operator: { type: 'string', enum: operators },
          values: { type: 'array', items: { type: 'string' } },
        },
        ['field', 'operator', 'values'],
      ),
    },
    except_user_ids: { type: 'array', items: { type: 'string' } },
    enabled: { type: 'boolean' },
    state: { type: 'string', enum: ['READY', 'APPLYING', 'DELETING'] },
    progress: nullable(object({ done: { type: 'integer' }, total: { type: 'integer' } }, ['done', 'total'])),
    created_at: atom.moment,
    updated_at: atom.moment,
    updated_by: { type: ['string', 'null'] },
  },
  [
    'id',
    'title',
    'user_group',
    'role',
    'match',
    'conditions',
    'except_user_ids',
    'enabled',
    'state',
    'progress',
    'created_at',
    'updated_at',
    'updated_by',
  ],
)

const namedErrors = [
  'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND',
  'ROLE_DOES_NOT_EXIST',
  'ROLE_HAS_WRONG_PERMISSION_SCOPE',
  'UNKNOWN_USER_ID',
  'UNKNOWN_USER_GROUP_ID',
  'INVALID_USER_GROUP',
] as const

export const listRules = contract({
  name: 'listRules',
  title: 'List the rules of user groups',
  tag,
  access: 'administrator',
  scopes: ['READ', 'USER_GROUPS'],
  query: object(
    {
      ...atom.offsetPage,
      user_group_id: { type: 'array', items: atom.reference, maxItems: 100 },
      enabled: { type: 'boolean' },
      sort: atom.sortBy(['TITLE', 'CREATED_AT']),
    },
    [],
  ),
  answers: {
    200: object({ rules: { type: 'array', items: rule }, pagination: atom.offsetPagination }, ['rules', 'pagination']),
  },
  errors: [],
})

export const createRule = contract({
  name: 'createRule',
  title: 'Create a rule for a user group',
  tag,
  access: 'administrator',
  scopes: mayTest,
  body: object(ruleCreation, requiredOfRule),
  trims: trims.user_group_rules,
  versioned: true,
  repeatable: 'RULE_NOT_FOUND',
  answers: { 201: rule },
  errors: [...namedErrors, 'ROLE_NOT_ASSIGNABLE', 'USER_GROUP_ARCHIVED', 'RULES_LIMIT_EXCEEDED', 'DUPLICATE_ID'],
})

export const getRule = contract({
  name: 'getRule',
  title: 'Read a rule',
  tag,
  access: 'administrator',
  scopes: ['READ', 'USER_GROUPS'],
  path: rulePath,
  versioned: true,
  answers: { 200: rule },
  errors: ['RULE_NOT_FOUND'],
})

export const updateRule = contract({
  name: 'updateRule',
  title: 'Update a rule',
  tag,
  access: 'administrator',
  scopes: mayTest,
  path: rulePath,
  body: object(
    {
      ...matching,
      title,
      enabled,
      user_group_id: atom.reference,
      role_id: atom.reference,
      id: atom.readOnly,
      user_group: atom.readOnly,
      role: atom.readOnly,
      state: atom.readOnly,
      progress: atom.readOnly,
      created_at: atom.readOnly,
      updated_at: atom.readOnly,
      updated_by: atom.readOnly,
    },
    [],
  ),
  mergePatch: true,
  trims: trims.user_group_rules,
  versioned: true,
  conditional: true,
  answers: { 200: rule },
  errors: [
    ...namedErrors,
    'ROLE_NOT_ASSIGNABLE',
    'RULE_NOT_FOUND',
    'RULE_IS_DELETING',
    'USER_GROUP_ARCHIVED',
    'RULES_LIMIT_EXCEEDED',
  ],
})

export const deleteRule = contract({
  name: 'deleteRule',
  title: 'Delete a rule',
  tag,
  access: 'administrator',
  scopes: ['USER_GROUPS'],
  path: rulePath,
  versioned: true,
  conditional: true,
  answers: { 202: rule, 204: null },
  errors: ['RULE_NOT_FOUND'],
})

export const previewRule = contract({
  name: 'previewRule',
  title: 'Preview which users a rule would match',
  tag,
  access: 'administrator',
  scopes: mayTest,
  body: object({ ...matching, user_group_id: nullable(atom.reference), role_id: nullable(atom.reference) }, [
    'conditions',
  ]),
  answers: {
    200: object(
      {
        total: { type: 'integer' },
        looked_at: { type: 'integer' },
        of: { type: 'integer' },
        users: { type: 'array', items: atom.userReference },
        gaining: { type: 'integer' },
        losing: { type: 'integer' },
      },
      ['total', 'looked_at', 'of', 'users'],
    ),
  },
  errors: namedErrors,
})
