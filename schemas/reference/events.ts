import type { RecordKind } from '../events.ts'
import * as contracts from '../events.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import { cursorPage, cursorPaginationFields } from './shared.ts'

/** The meaning of the properties of an event. */
export const eventFields = fieldsOf(contracts.event)({
  id: ['The id of the event.', '5f0c6f0e-3d0e-4b53-9a52-5a7f6d1f2a11'],
  time: [
    'When it was done: RFC 3339, UTC, milliseconds. The events of one record have different times.',
    '2026-11-21T09:00:00.000Z',
  ],
  type: ['What was done: the kind of record, a dot, and what happened to it.', 'user.locked'],
  actor: [
    'Who did it.',
    {
      id: [
        'The user or the service token that called. Null if there was no call, as at a deadline or in an import.',
        'demo-admin',
      ],
      kind: ['`USER` or `SERVICE_TOKEN`; `SYSTEM` if there was no call.', 'USER'],
      request_id: [
        'The `x-request-id` of the call. Null if there was no call.',
        'c2c1f0f4-9f0d-4a52-8a3c-3f2f3c1f7a90',
      ],
      operation: [
        'The name of the operation in this document; if there was no call, that of the function.',
        'lockUser',
      ],
    },
  ],
  record: [
    'What was changed.',
    {
      kind: ['The kind of record.', 'user'],
      id: [
        'Its id. For an assignment, the ids of group or channel, user and role, joined by `~`; for a task assignment, its id. Settings have the id `settings`.',
        'user-030',
      ],
    },
  ],
  previous_id: ['The id of the previous event of the same record. Null for the first.', null],
  changes: [
    'The changed fields, with their values before and after. Empty once the user whom the event is about is deleted for good.',
    {
      field: ['The name of the field.', 'status'],
      before: [
        'The value before, or null. A long value is cut to `{ "cut": true, "beginning", "sha256" }`: the beginning and the hash of its JSON.',
        'ACTIVE',
      ],
      after: ['The value after, or null; a long value is cut in the same way.', 'LOCKED'],
    },
  ],
})

/** The kinds of records that have events, in words. */
export const kindNames: Readonly<Record<RecordKind, string>> = {
  user: 'User',
  user_group: 'User group',
  user_group_assignment: 'Role of a user in a group',
  user_group_rule: 'Rule of a user group',
  role: 'Role',
  attribute_definition: 'Attribute definition',
  channel: 'Channel',
  channel_user_group: 'User group attached to a channel',
  channel_assignment: 'Role of a user on a channel',
  task: 'Task',
  task_assignment: 'Progress of a recipient with a task',
  organisation_settings: 'Settings of the organisation',
  calendar_settings: 'Settings of the calendar',
  service_token: 'Service token',
  webhook: 'Webhook',
  plan: 'Plan of changes of users',
}

/** Notes on types of events whose names do not say everything. */
export const eventNotes: Readonly<Record<string, string>> = {
  'user.deleted': 'The user can be restored for 14 days.',
  'user.purged': 'The 14 days are over, and the user is deleted for good.',
  'user_group_assignment.updated': 'Its source has changed: given by hand, by the primary group, or by a rule.',
  'task.created': 'The event names the recipients, who have no separate events.',
  'task.recipients_added': 'The event names only the users who were added.',
  'task.recipients_removed': 'The event names only the users who were removed.',
  'service_token.expiring': 'It is written 30 and 7 days before the token expires.',
  'webhook.disabled': 'A call disabled the webhook, its receiver answered 410, or it failed for five days.',
}

const page = {
  events: ['The events on this page, in the order asked for.', eventFields],
  pagination: ['Where the next page begins.', cursorPaginationFields],
} as const

const common = {
  ...cursorPage,
  type: ['Only events of these types.', ['user.locked', 'user.unlocked']],
  from: ['Only events from this moment on: RFC 3339, any offset.', '2026-11-01T00:00:00.000Z'],
  to: ['Only events before this moment: RFC 3339, any offset.', '2026-11-30T00:00:00.000Z'],
  sort: ['The order: `TIME_ASC` or `TIME_DESC`, which is the default.', ['TIME_ASC']],
} as const

export const events = describe(contracts, {
  listEvents: {
    text: prose(`
      Lists who changed what, the latest first.

      **One event for each record that a call changes**, written together with the change. Adding recipients to a task,
      or removing some, is one event of the task that names them. Records that end with their group, channel, task or user
      have no separate event. A call that changes nothing writes no event. Work that continues after a call, such as
      archiving a group with many members, names the actor, request and operation of that call.

      **Limits:** events are kept for 400 days, and no operation changes or deletes one. An event may appear up to a
      minute after its time. Without \`record_kind\` and \`record_id\`, \`from\` and \`to\` are at most 31 days apart;
      if neither is given, these are the last 31 days. Pages may be short if other filters are combined with a record or
      an actor; \`has_more\` says whether there are more.

      **Privacy:** other people appear by id only. Once a user's 14 days are over, events about that user show no
      values, and the values are removed.`),
    query: {
      ...common,
      record_kind: ['Only events of one record: its kind. Together with `record_id`.', 'user'],
      record_id: ['Its id. Together with `record_kind`.', 'user-030'],
      actor_id: ['Only events by the user or the service token with this id.', 'demo-admin'],
    },
    send: { record_kind: 'user', record_id: 'user-030' },
    answers: { 200: 'A page of events.' },
    answer: page,
  },

  listUserEvents: {
    text: prose(`
      Lists the changes of one user, the latest first: of the record, of the roles in user groups and on
      channels, and of the progress with tasks. Getting or losing a task is an event of the task: see
      *List who changed what*, which also explains events.`),
    path: { user_id: ['The id of the user.', 'user-030'] },
    query: common,
    answers: { 200: 'A page of events.' },
    answer: page,
  },
})
