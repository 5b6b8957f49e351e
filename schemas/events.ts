import * as atom from './atoms.ts'
import { contract, object } from './contract.ts'

/** What can happen to a record of each kind. */
const verbs = {
  user: ['created', 'updated', 'locked', 'unlocked', 'deactivated', 'reactivated', 'deleted', 'restored', 'purged'],
  user_group: ['created', 'updated', 'archived', 'restored', 'deleted'],
  user_group_assignment: ['created', 'updated', 'deleted'],
  user_group_rule: ['created', 'updated', 'deleted'],
  role: ['created', 'updated', 'deleted'],
  attribute_definition: ['created', 'updated', 'deleted'],
  channel: ['created', 'updated', 'archived', 'restored'],
  channel_user_group: ['created', 'deleted'],
  channel_assignment: ['created', 'deleted'],
  task: ['created', 'updated', 'recipients_added', 'recipients_removed', 'deleted'],
  task_assignment: ['opened', 'finished'],
  organisation_settings: ['updated'],
  calendar_settings: ['updated'],
  service_token: ['created', 'updated', 'rotated', 'expiring', 'deleted'],
  webhook: ['created', 'updated', 'rotated', 'disabled', 'deleted'],
  plan: ['created', 'checked', 'applied', 'cancelled', 'finished'],
} as const

export type RecordKind = keyof typeof verbs
export const recordKinds = Object.keys(verbs) as RecordKind[]
export const eventTypes = recordKinds.flatMap((kind) => verbs[kind].map((verb) => `${kind}.${verb}`))

const nullableText = { type: ['string', 'null'] } as const

/** One change of one record. */
export const event = object(
  {
    id: { type: 'string' },
    time: atom.moment,
    type: { type: 'string', enum: eventTypes },
    actor: object(
      {
        id: nullableText,
        kind: { type: 'string', enum: ['USER', 'SERVICE_TOKEN', 'SYSTEM'] },
        request_id: nullableText,
        operation: { type: 'string' },
      },
      ['id', 'kind', 'request_id', 'operation'],
    ),
    record: object({ kind: { type: 'string', enum: recordKinds }, id: { type: 'string' } }, ['kind', 'id']),
    previous_id: nullableText,
    changes: {
      type: 'array',
      items: object({ field: { type: 'string' }, before: {}, after: {} }, ['field', 'before', 'after']),
    },
  },
  ['id', 'time', 'type', 'actor', 'record', 'previous_id', 'changes'],
)

const answer = object({ events: { type: 'array', items: event }, pagination: atom.cursorPagination }, [
  'events',
  'pagination',
])

/** A moment in a request. The operation checks whether it exists. */
const moment = { type: 'string', minLength: 1, maxLength: 64 } as const

const common = {
  ...atom.cursorPage,
  type: { type: 'array', items: { type: 'string', enum: eventTypes } },
  from: moment,
  to: moment,
  sort: atom.sortBy(['TIME']),
} as const

const tag = 'Events'

export const listEvents = contract({
  name: 'listEvents',
  title: 'List who changed what',
  tag,
  access: 'administrator',
  scopes: ['READ'],
  query: {
    ...object(
      {
        ...common,
        record_kind: { type: 'string', enum: recordKinds },
        record_id: atom.reference,
        actor_id: atom.reference,
      },
      [],
    ),
    dependentRequired: { record_kind: ['record_id'], record_id: ['record_kind'] },
  },
  answers: { 200: answer },
  errors: [],
})

export const listUserEvents = contract({
  name: 'listUserEvents',
  title: 'List the changes of a user',
  tag,
  access: 'administrator',
  scopes: ['READ', 'USERS'],
  path: object({ user_id: atom.id }, ['user_id']),
  query: object(common, []),
  answers: { 200: answer },
  errors: ['USER_NOT_FOUND'],
})
