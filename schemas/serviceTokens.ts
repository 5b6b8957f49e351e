import * as atom from './atoms.ts'
import { contract, object } from './contract.ts'
import { scopes } from './scopes.ts'

const tag = 'Service tokens'
const tokenPath = object({ token_id: atom.id }, ['token_id'])
const nullableMoment = { ...atom.moment, type: ['string', 'null'] } as const

const sharedFields = {
  id: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'array', items: { type: 'string', enum: scopes } },
  created_by: { type: 'string' },
  created_at: atom.moment,
  expires_at: atom.moment,
  last_used_at: nullableMoment,
  previous_expires_at: nullableMoment,
} as const
const names = [
  'id',
  'name',
  'scopes',
  'created_by',
  'created_at',
  'expires_at',
  'last_used_at',
  'previous_expires_at',
] as const

/** A service token without its secret. */
export const serviceToken = object(sharedFields, names)

/** The only answer that has the secret. */
const withSecret = object({ ...sharedFields, token: { type: 'string' } }, [...names, 'token'])

/** The operation checks whether it is a moment, and its limits. */
const moment = { type: 'string', minLength: 1, maxLength: 64 } as const

const input = {
  name: atom.line(1, 120),
  scopes: {
    type: 'array',
    minItems: 1,
    maxItems: scopes.length,
    uniqueItems: true,
    items: { type: 'string', enum: scopes },
  },
} as const

/** For administrators only: a token can neither read nor change tokens. */
const administrators = { access: 'administrator', scopes: [] } as const

export const listServiceTokens = contract({
  name: 'listServiceTokens',
  title: 'List service tokens',
  tag,
  ...administrators,
  query: object(atom.offsetPage, []),
  answers: {
    200: object({ service_tokens: { type: 'array', items: serviceToken }, pagination: atom.offsetPagination }, [
      'service_tokens',
      'pagination',
    ]),
  },
  errors: [],
})

export const createServiceToken = contract({
  name: 'createServiceToken',
  title: 'Create a service token',
  tag,
  ...administrators,
  body: object({ ...input, expires_at: { ...moment, type: ['string', 'null'] } }, ['name', 'scopes']),
  trims: ['name'],
  versioned: true,
  answers: { 201: withSecret },
  errors: ['SERVICE_TOKENS_LIMIT_EXCEEDED'],
})

export const getServiceToken = contract({
  name: 'getServiceToken',
  title: 'Read a service token',
  tag,
  ...administrators,
  path: tokenPath,
  versioned: true,
  answers: { 200: serviceToken },
  errors: ['SERVICE_TOKEN_NOT_FOUND'],
})

export const updateServiceToken = contract({
  name: 'updateServiceToken',
  title: 'Update a service token',
  tag,
  ...administrators,
  path: tokenPath,
  body: object(
    {
      ...input,
      expires_at: moment,
      id: atom.readOnly,
      created_by: atom.readOnly,
      created_at: atom.readOnly,
      last_used_at: atom.readOnly,
      previous_expires_at: atom.readOnly,
    },
    [],
  ),
  mergePatch: true,
  trims: ['name'],
  versioned: true,
  conditional: true,
  answers: { 200: serviceToken },
  errors: ['SERVICE_TOKEN_NOT_FOUND', 'SERVICE_TOKEN_EXPIRED'],
})

export const deleteServiceToken = contract({
  name: 'deleteServiceToken',
  title: 'Delete a service token',
  tag,
  ...administrators,
  path: tokenPath,
  conditional: true,
  answers: { 204: null },
  errors: ['SERVICE_TOKEN_NOT_FOUND'],
})

export const rotateServiceToken = contract({
  name: 'rotateServiceToken',
  title: 'Give a service token a new secret',
  tag,
  ...administrators,
  path: tokenPath,
  body: object({ overlap_minutes: { type: ['integer', 'null'], minimum: 0, maximum: 10_080 } }, []),
  versioned: true,
  answers: { 200: withSecret },
  errors: ['SERVICE_TOKEN_NOT_FOUND', 'SERVICE_TOKEN_EXPIRED'],
})
