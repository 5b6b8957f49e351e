import * as atom from './atoms.ts'
import { contract, nullable, object } from './contract.ts'
import { eventTypes, recordKinds } from './events.ts'

const tag = 'Webhooks'
const path = object({ webhook_id: atom.id }, ['webhook_id'])
const deliveryPath = object({ webhook_id: atom.id, delivery_id: atom.id }, ['webhook_id', 'delivery_id'])
const nullableText = { type: ['string', 'null'] } as const

/** The types of events that a webhook can choose: single ones, or all of a kind of record. */
const wanted = { type: 'string', enum: [...eventTypes, ...recordKinds.map((kind) => `${kind}.*`)] } as const

const chosen = {
  types: nullable({ type: 'array', minItems: 1, maxItems: 100, uniqueItems: true, items: wanted }),
  description: nullable(atom.text(500)),
} as const
/** The operation checks the host and its addresses. */
const url = { ...atom.text(2048), minLength: 1 } as const

const sharedFields = {
  id: { type: 'string' },
  url: { type: 'string' },
  types: { type: ['array', 'null'], items: { type: 'string' } },
  description: nullableText,
  enabled: { type: 'boolean' },
  created_by: { type: 'string' },
  created_at: atom.moment,
  updated_at: atom.moment,
  state: { type: 'string', enum: ['OK', 'FAILING', 'DISABLED'] },
  failing_since: nullable(atom.moment),
} as const
const names = [
  'id',
  'url',
  'types',
  'description',
  'enabled',
  'created_by',
  'created_at',
  'updated_at',
  'state',
  'failing_since',
] as const

/** A webhook. */
export const webhook = object(sharedFields, names)
/** The same with the secret, which no other answer has. */
export const webhookWithSecret = object({ ...sharedFields, secret: { type: 'string' } }, [...names, 'secret'])

const states = { type: 'string', enum: ['WAITING', 'DELIVERED', 'FAILED'] } as const

/** A delivery of an event to a webhook, with its last attempts. */
export const delivery = object(
  {
    id: { type: 'string' },
    event_id: nullableText,
    type: { type: 'string' },
    state: states,
    attempts: {
      type: 'array',
      items: object(
        { at: atom.moment, status: { type: ['integer', 'null'] }, ms: { type: 'integer' }, fault: nullableText },
        ['at', 'status', 'ms', 'fault'],
      ),
    },
    next_attempt_at: nullable(atom.moment),
  },
  ['id', 'event_id', 'type', 'state', 'attempts', 'next_attempt_at'],
)

export const listWebhooks = contract({
  name: 'listWebhooks',
  title: 'List webhooks',
  tag,
  access: 'administrator',
  scopes: ['WEBHOOKS'],
  query: object(atom.offsetPage, []),
  answers: {
    200: object({ webhooks: { type: 'array', items: webhook }, pagination: atom.offsetPagination }, [
      'webhooks',
      'pagination',
    ]),
  },
  errors: [],
})

export const createWebhook = contract({
  name: 'createWebhook',
  title: 'Create a webhook',
  tag,
  access: 'administrator',
  scopes: ['WEBHOOKS'],
  body: object({ ...chosen, url, enabled: { type: ['boolean', 'null'] } }, ['url']),
  versioned: true,
  answers: { 201: webhookWithSecret },
  errors: ['INVALID_WEBHOOK_URL', 'WEBHOOKS_LIMIT_EXCEEDED'],
})

export const getWebhook = contract({
  name: 'getWebhook',
  title: 'Read a webhook',
  tag,
  access: 'administrator',
  scopes: ['WEBHOOKS'],
  path,
  versioned: true,
  answers: { 200: webhook },
  errors: ['WEBHOOK_NOT_FOUND'],
})

export const updateWebhook = contract({
  name: 'updateWebhook',
  title: 'Update a webhook',
  tag,
  access: 'administrator',
  scopes: ['WEBHOOKS'],
  path,
  body: object(
    {
      ...chosen,
      url,
      enabled: { type: 'boolean' },
      id: atom.readOnly,
      created_by: atom.readOnly,
      created_at: atom.readOnly,
      updated_at: atom.readOnly,
      state: atom.readOnly,
      failing_since: atom.readOnly,
    },
    [],
  ),
  mergePatch: true,
  versioned: true,
  conditional: true,
  answers: { 200: webhook },
  errors: ['WEBHOOK_NOT_FOUND', 'INVALID_WEBHOOK_URL'],
})

export const deleteWebhook = contract({
  name: 'deleteWebhook',
  title: 'Delete a webhook',
  tag,
  access: 'administrator',
  scopes: ['WEBHOOKS'],
  path,
  conditional: true,
  answers: { 204: null },
  errors: ['WEBHOOK_NOT_FOUND'],
})

export const rotateWebhook = contract({
  name: 'rotateWebhook',
  title: 'Replace the secret of a webhook',
  tag,
  access: 'administrator',
  scopes: ['WEBHOOKS'],
  path,
  versioned: true,
  conditional: true,
  answers: { 200: webhookWithSecret },
  errors: ['WEBHOOK_NOT_FOUND'],
})

export const testWebhook = contract({
  name: 'testWebhook',
  title: 'Send a test message',
  tag,
  access: 'administrator',
  scopes: ['WEBHOOKS'],
  path,
  answers: { 202: delivery },
  errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
})

export const listDeliveries = contract({
  name: 'listDeliveries',
  title: 'List the deliveries of a webhook',
  tag,
  access: 'administrator',
  scopes: ['WEBHOOKS'],
  path,
  query: object({ ...atom.cursorPage, state: { type: 'array', items: states } }, []),
  answers: {
    200: object({ deliveries: { type: 'array', items: delivery }, pagination: atom.cursorPagination }, [
      'deliveries',
      'pagination',
    ]),
  },
  errors: ['WEBHOOK_NOT_FOUND'],
})

export const redeliver = contract({
  name: 'redeliver',
  title: 'Send a delivery again',
  tag,
  access: 'administrator',
  scopes: ['WEBHOOKS'],
  path: deliveryPath,
  answers: { 202: delivery },
  errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'WEBHOOK_DISABLED'],
})

/** A moment in a request. The operation checks whether it exists. */
const moment = { type: 'string', minLength: 1, maxLength: 64 } as const
/** The period of a replay. */
export const span = object({ from: atom.moment, to: atom.moment }, ['from', 'to'])

export const replayEvents = contract({
  name: 'replayEvents',
  title: 'Replay the events of a period',
  tag,
  access: 'administrator',
  scopes: ['WEBHOOKS'],
  path,
  body: object({ from: moment, to: nullable(moment) }, ['from']),
  answers: { 202: span },
  errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED', 'REPLAY_RUNNING'],
})
