import * as contracts from '../webhooks.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import { cursorPage, cursorPaginationFields, offsetPage, offsetPaginationFields } from './shared.ts'

/** No secret of anybody. */
export const secretExample = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const id = 'hook-1'
const pathOf = (example: string) => ({ webhook_id: ['The id of the webhook.', example] }) as const

const texts = {
  url: ['Where its messages are sent.', 'https://1.1.1.1/hooks/rollcall'],
  types: [
    'The types of events that it gets: single ones, or all of a kind of record as `user.*`. Null for all events.',
    ['user.*', 'task.created'],
  ],
  description: ['What it is for, in up to 500 characters. Null if there is none.', 'Keeps the phone book up to date'],
  enabled: ['Whether it gets events.', true],
} as const
const facts = {
  id: ['The id of the webhook.', id],
  ...texts,
  created_by: ['The id of the user or the service token that created it.', 'demo-admin'],
  created_at: ['When it was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: ['When it was last changed: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  state: ['`OK`, `FAILING` after five failed attempts in a row, or `DISABLED`. It is no field of the record.', 'OK'],
  failing_since: [
    'Since when it is FAILING, or was when it was disabled: RFC 3339, UTC, milliseconds. Else null.',
    null,
  ],
} as const
const webhookFields = fieldsOf(contracts.webhook)(facts)
const withSecret = fieldsOf(contracts.webhookWithSecret)({
  ...facts,
  secret: [
    'What signs its messages, by the Standard Webhooks specification. It is in this answer and never again: keep it.',
    secretExample,
  ],
})
const deliveryFields = fieldsOf(contracts.delivery)({
  id: ['The id of the delivery.', '20261121T090000000Z-5f0c6f0e-3d0e-4b53-9a52-5a7f6d1f2a11'],
  event_id: [
    'The id of the event, which receivers get as `webhook-id`. Null for a test.',
    '5f0c6f0e-3d0e-4b53-9a52-5a7f6d1f2a11',
  ],
  type: ['The type of the event, or `webhook.test`.', 'user.locked'],
  state: ['`WAITING` for its first or next attempt, `DELIVERED`, or `FAILED` for good.', 'DELIVERED'],
  attempts: [
    'The last ten attempts, oldest first.',
    {
      at: ['When it began: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.400Z'],
      status: ['The status that the receiver answered, or null.', 200],
      ms: ['How long it took, in milliseconds.', 84],
      fault: ['Why it failed, in words, or null.', null],
    },
  ],
  next_attempt_at: ['When it is tried next: RFC 3339, UTC, milliseconds. Null if it is not.', null],
})
/** What the properties of a message mean that a webhook gets. */
export const messageFields = {
  type: 'The type of the event, or `webhook.test`.',
  timestamp: 'The time of the event; of a test, that of the attempt. RFC 3339, UTC, milliseconds.',
  webhook_id: 'The id of the webhook.',
} as const

const written = {
  ...texts,
  url: [
    'Where its messages are sent: https, the default port or one from 1024 on, no credentials, no fragment, and public addresses only.',
    'https://1.1.1.1/hooks/rollcall',
  ],
} as const

export const webhooks = describe(contracts, {
  listWebhooks: {
    text: prose(`
      Lists all webhooks, the oldest first, with their states. There are 20 at most. Secrets are in no list.`),
    query: offsetPage,
    answers: { 200: 'A page of webhooks.' },
    answer: {
      webhooks: ['The webhooks on this page.', webhookFields],
      pagination: ['Where the list goes on, and how long it is.', offsetPaginationFields],
    },
  },

  createWebhook: {
    text: prose(`
      Creates a webhook: from five seconds after the answer on, every event that it asks for is delivered, in a POST
      with the body \`{ "type", "timestamp", "data" }\`, where \`data\` is the event as *List who changed what* answers it.
      No event is left out; one may come twice, with the same \`webhook-id\`. \`schemas/asyncapi.json\` has the schema and an
      example of each message.

      **Signed** by the Standard Webhooks specification, whose libraries verify it: headers \`webhook-id\`,
      \`webhook-timestamp\` and \`webhook-signature\`. The secret is in this answer and never again.

      **Delivered** is what is answered with a 2xx within 15 seconds. Redirects are not followed. Else it is tried again
      after 5 seconds, 1, 5 and 30 minutes, 2, 5, 10 and 10 hours. After five failures in a row the webhook is FAILING:
      one delivery at a time is tried, and the others wait. A 410, or five days of failures, disable it.

      **Order:** an event is first tried after the first attempt at the event before it of the same record
      (\`previous_id\`).`),
    body: { ...written, enabled: ['Whether it gets events. True if it is not given.', true] },
    examples: [
      {
        title: 'For the changes of users',
        status: 201,
        body: { url: 'https://1.1.1.1/hooks/rollcall', types: ['user.*'] },
      },
    ],
    answers: { 201: 'The webhook, with its secret.' },
    answer: withSecret,
  },

  getWebhook: {
    text: prose(`Reads a webhook with its state. Its secret is not shown: only creating and replacing it answer one.`),
    path: pathOf(id),
    answers: { 200: 'The webhook.' },
    answer: webhookFields,
  },

  updateWebhook: {
    text: prose(`
      Applies a merge patch to a webhook. With a new URL it is no longer FAILING: what waits goes there, new messages and
      those that are due at once.

      **Disabling** it makes all that waits FAILED and ends a replay; no attempt begins later than two seconds after the
      answer. **Enabling** it again starts with new events: those in between are not kept for it. Use *Replay the events of a
      period* for that.`),
    path: pathOf('hook-2'),
    body: {
      ...written,
      id: ['Read-only: accepted and ignored.', id],
      created_by: ['Read-only: accepted and ignored.', 'demo-admin'],
      created_at: ['Read-only: accepted and ignored.', '2026-11-21T09:00:00.000Z'],
      updated_at: ['Read-only: accepted and ignored.', '2026-11-21T09:00:00.000Z'],
      state: ['Read-only: accepted and ignored.', 'OK'],
      failing_since: ['Read-only: accepted and ignored.', null],
    },
    examples: [
      { title: 'Other types', status: 200, body: { types: ['user.*', 'task.created'] } },
      { title: 'Disable it', status: 200, body: { enabled: false } },
    ],
    answers: { 200: 'The webhook as it is now.' },
    answer: webhookFields,
  },

  deleteWebhook: {
    text: prose(`
      Deletes a webhook with its deliveries. No attempt begins later than two seconds after the answer. A second call is
      answered with WEBHOOK_NOT_FOUND.`),
    path: pathOf('hook-3'),
    answers: { 204: 'It is deleted.' },
  },

  rotateWebhook: {
    text: prose(`
      Replaces the secret of a webhook. For 24 hours each message has the signatures of both, so receivers can change over.
      Each call makes a new secret: a call whose answer was lost is simply repeated.`),
    path: pathOf('hook-4'),
    answers: { 200: 'The webhook, with its new secret.' },
    answer: withSecret,
  },

  testWebhook: {
    text: prose(`
      Delivers a message of type \`webhook.test\`, which is no event, in the same way as events. The list of deliveries
      shows a moment later what became of it.`),
    path: pathOf('hook-5'),
    answers: { 202: 'The delivery, which is tried at once.' },
    answer: deliveryFields,
  },

  listDeliveries: {
    text: prose(`
      Lists the deliveries of a webhook, those of the newest events first, with their last ten attempts. They are kept for
      30 days after the last one.`),
    path: pathOf(id),
    query: { ...cursorPage, state: ['Only deliveries in these states.', ['FAILED']] },
    answers: { 200: 'A page of deliveries.' },
    answer: {
      deliveries: ['The deliveries on this page.', deliveryFields],
      pagination: ['Where the list goes on.', cursorPaginationFields],
    },
  },

  redeliver: {
    text: prose(`
      Opens a delivery again, whatever became of it: it is tried at once, and has all of its nine attempts before it. Its
      \`webhook-id\` stays the same.`),
    path: {
      ...pathOf('hook-6'),
      delivery_id: ['The id of the delivery.', '20261120T090000000Z-5f0c6f0e-3d0e-4b53-9a52-5a7f6d1f2a11'],
    },
    answers: { 202: 'The delivery, which is tried at once.' },
    answer: deliveryFields,
  },

  replayEvents: {
    text: prose(`
      Delivers the events of up to 31 days once more, the oldest first, as far as the webhook wants them: for a receiver that
      has lost some, or was disabled. Their \`webhook-id\` is that of the event, as before. New events do not wait for it. One
      replay of a webhook runs at a time; disabling it ends the replay.`),
    path: pathOf('hook-7'),
    body: {
      from: ['From this moment on: RFC 3339, any offset.', '2026-11-01T00:00:00.000Z'],
      to: [
        'Until this moment: RFC 3339, any offset. By default until now, at most 31 days after `from`.',
        '2026-11-02T00:00:00.000Z',
      ],
    },
    examples: [
      { title: 'One day', status: 202, body: { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z' } },
    ],
    answers: { 202: 'The time whose events are delivered.' },
    answer: fieldsOf(contracts.span)({
      from: ['The beginning of the time: RFC 3339, UTC, milliseconds.', '2026-11-01T00:00:00.000Z'],
      to: ['Its end: RFC 3339, UTC, milliseconds.', '2026-11-02T00:00:00.000Z'],
    }),
  },
})
