import * as contracts from '../webhooks.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import { cursorPage, cursorPaginationFields, offsetPage, offsetPaginationFields } from './shared.ts'

/** A secret of no webhook. */
export const secretExample = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const id = 'hook-1'
const pathOf = (example: string) => ({ webhook_id: ['The id of the webhook.', example] }) as const

const texts = {
  url: ['The address to which its messages are sent.', 'https://1.1.1.1/hooks/rollcall'],
  types: [
    'The types of events that it gets: single ones, or all of a kind of record, such as `user.*`. Null for all events.',
    ['user.*', 'task.created'],
  ],
  description: ['What it is for: up to 500 characters. Null for none.', 'Keeps the phone book up to date'],
  enabled: ['Whether it gets events.', true],
} as const
const sharedFields = {
  id: ['The id of the webhook.', id],
  ...texts,
  created_by: [
    'Who created it: the id of a user, or `service_token:` and the id of a service token. Webhooks of releases before 0.5.0 have the bare id of the token.',
    'demo-admin',
  ],
  created_at: ['When it was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: ['When it was last changed: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  state: ['`OK`; `FAILING` after five failed attempts in a row; or `DISABLED`.', 'OK'],
  failing_since: [
    'Since when it is `FAILING`, or was `FAILING` when it was disabled: RFC 3339, UTC, milliseconds. Otherwise null.',
    null,
  ],
} as const
const webhookFields = fieldsOf(contracts.webhook)(sharedFields)
const withSecret = fieldsOf(contracts.webhookWithSecret)({
  ...sharedFields,
  secret: [
    'The secret that signs its messages, by the Standard Webhooks specification. No other answer has it, so keep it.',
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
      fault: ['Why it failed, as a sentence, or null.', null],
    },
  ],
  next_attempt_at: ['When the next attempt is due: RFC 3339, UTC, milliseconds. Null if there is none.', null],
})
/** The meaning of the properties of a message. */
export const messageFields = {
  type: 'The type of the event, or `webhook.test`.',
  timestamp: 'The time of the event; of a test, that of the attempt. RFC 3339, UTC, milliseconds.',
  webhook_id: 'The id of the webhook.',
} as const

const input = {
  ...texts,
  url: [
    'The address to which its messages are sent: https, the default port or one from 1024 on, without credentials and fragment. Its host must have public addresses only.',
    'https://1.1.1.1/hooks/rollcall',
  ],
} as const

export const webhooks = describe(contracts, {
  listWebhooks: {
    text: prose(`
      Lists all webhooks, the oldest first, with their states. There are 20 at most. Secrets are not shown.`),
    query: offsetPage,
    answers: { 200: 'A page of webhooks.' },
    answer: {
      webhooks: ['The webhooks on this page.', webhookFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createWebhook: {
    text: prose(`
      Creates a webhook. From five seconds after the answer on, it gets every event of its types, in a POST
      with the body \`{ "type", "timestamp", "data" }\`, where \`data\` is the event as in *List who changed what*.
      No event is left out; an event may come twice, with the same \`webhook-id\`. \`schemas/asyncapi.json\` has the schema and an
      example of each message.

      **Signature:** messages are signed by the Standard Webhooks specification, whose libraries verify them: headers
      \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`. Only this answer has the secret.

      **Attempts:** a message is delivered if the receiver answers 2xx within 15 seconds. Redirects are not followed.
      Otherwise it is sent again after 5 seconds, 1, 5 and 30 minutes, 2, 5, 10 and 10 hours. After five failures in a row
      the webhook is \`FAILING\`: then one delivery at a time is tried, and the others wait. An answer 410, or five days of
      failures, disable it.

      **Order:** the first attempt at an event follows the first attempt at the previous event of the same record
      (\`previous_id\`).`),
    body: { ...input, enabled: ['Whether it gets events. True by default.', true] },
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
    text: prose(`Reads a webhook with its state, without its secret.`),
    path: pathOf(id),
    answers: { 200: 'The webhook.' },
    answer: webhookFields,
  },

  updateWebhook: {
    text: prose(`
      Changes a webhook by a merge patch (RFC 7396). With a new URL it is no longer \`FAILING\`: new messages, and waiting
      ones that are due, are sent there at once.

      **Other types** make waiting deliveries of those left out \`FAILED\`.

      **Disabling** it makes all waiting deliveries \`FAILED\` and ends a replay; no attempt begins later than two seconds
      after the answer. **Enabling** it again starts with new events. For the events in between, use *Replay the events of a
      period*.`),
    path: pathOf('hook-2'),
    body: {
      ...input,
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
      Deletes a webhook with its deliveries. No attempt begins later than two seconds after the answer.

      **Repeating it** answers 404 \`WEBHOOK_NOT_FOUND\`.`),
    path: pathOf('hook-3'),
    answers: { 204: 'The webhook was deleted.' },
  },

  rotateWebhook: {
    text: prose(`
      Replaces the secret of a webhook. For 24 hours each message is signed with both secrets, so that you can update
      receivers one after the other.

      **Repeating it** makes another secret each time. If an answer was lost, repeat the call.`),
    path: pathOf('hook-4'),
    answers: { 200: 'The webhook, with its new secret.' },
    answer: withSecret,
  },

  testWebhook: {
    text: prose(`
      Sends a message of type \`webhook.test\`, which has no event, like the message of an event. A moment later the list
      of deliveries shows the result.`),
    path: pathOf('hook-5'),
    answers: { 202: 'The delivery, which is tried at once.' },
    answer: deliveryFields,
  },

  listDeliveries: {
    text: prose(`
      Lists the deliveries of a webhook, those of the newest events first, with their last ten attempts. A delivery is kept
      for 30 days after its last attempt.`),
    path: pathOf(id),
    query: { ...cursorPage, state: ['Only deliveries in these states.', ['FAILED']] },
    answers: { 200: 'A page of deliveries.' },
    answer: {
      deliveries: ['The deliveries on this page.', deliveryFields],
      pagination: ['Where the next page begins.', cursorPaginationFields],
    },
  },

  redeliver: {
    text: prose(`
      Sends a delivery again, in whatever state it is: the first of up to nine attempts follows at once. The
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
      Delivers the events of a period once more, up to 31 days, the oldest first: those of the types of the webhook. Use it
      if a receiver has lost events, or was disabled. They have the same \`webhook-id\` as before. New events do not wait for
      the replay. A webhook has one replay at a time; disabling the webhook ends it.`),
    path: pathOf('hook-7'),
    body: {
      from: ['From this moment on: RFC 3339, any offset.', '2026-11-01T00:00:00.000Z'],
      to: [
        'Until this moment: RFC 3339, any offset; at most 31 days after `from`. By default until a minute from now, as clocks differ, or 31 days after `from` if that is earlier: events of that minute may come twice.',
        '2026-11-02T00:00:00.000Z',
      ],
    },
    examples: [
      { title: 'One day', status: 202, body: { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z' } },
    ],
    answers: { 202: 'The period whose events are delivered.' },
    answer: fieldsOf(contracts.span)({
      from: ['The beginning of the period: RFC 3339, UTC, milliseconds.', '2026-11-01T00:00:00.000Z'],
      to: ['Its end: RFC 3339, UTC, milliseconds.', '2026-11-02T00:00:00.000Z'],
    }),
  },
})
