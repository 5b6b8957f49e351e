// npm run asyncapi: schemas/asyncapi.json, the messages of webhooks, from the types of events and the reference.
// With --check it only checks whether the file is current.
import { existsSync, readFileSync } from 'node:fs'
import { TEST } from '../../domain/webhooks/message.ts'
import { signedHeaders } from '../../domain/webhooks/signature.ts'
import { moment } from '../../schemas/atoms.ts'
import { object } from '../../schemas/contract.ts'
import { event, eventTypes, type RecordKind } from '../../schemas/events.ts'
import { eventFields, eventNotes, kindNames } from '../../schemas/reference/events.ts'
import { messagesFile, recordedAnswer } from '../../schemas/reference/reference.ts'
import { messageFields, secretExample } from '../../schemas/reference/webhooks.ts'
import { testWebhook } from '../../schemas/webhooks.ts'
import { keepCurrent } from './keepCurrent.ts'
import { exampleName } from './openapiOperation.ts'
import { ref, sharedSchemas } from './openapiSchemas.ts'

/** The body of a message. `data` is an event; in a test, it names the webhook. */
type Payload = { type: string; timestamp: string; data: { id?: string } }

/** The document as text. */
export async function asyncapi(): Promise<string> {
  const shared = await sharedSchemas()
  const anyEvent = shared.schema(event, eventFields)
  const recorded = recordedMessages()
  const messages = Object.fromEntries([
    ...eventTypes.map((type) => [type, eventMessage(type, anyEvent, recorded[type])]),
    [TEST, testMessage(recorded[TEST])],
  ])
  const channel = { $ref: '#/channels/webhook' }
  const sent = (types: readonly string[]) => types.map((type) => ({ $ref: `#/channels/webhook/messages/${type}` }))
  const document = {
    asyncapi: '3.1.0',
    id: 'urn:rollcall:webhooks',
    info: {
      title: 'Rollcall webhooks',
      version: JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
      description: introduction,
      contact: { name: 'The operator of this service' },
      license: { name: 'Proprietary' },
      tags: [{ name: 'webhooks', description: 'Every change of a record, delivered as it happens.' }],
    },
    defaultContentType: 'application/json',
    channels: {
      webhook: {
        address: null,
        title: 'The URL of a webhook',
        description: 'Each webhook has a URL and the types of events that it gets.',
        messages: Object.fromEntries(Object.keys(messages).map((type) => [type, ref('messages', type)])),
        bindings: { http: {} },
      },
    },
    operations: {
      deliverEvent: {
        action: 'send',
        channel,
        title: 'Deliver an event',
        description: 'Rollcall sends each event of the types of a webhook, until the receiver answers 2xx.',
        messages: sent(eventTypes),
        bindings: post,
      },
      deliverTest: {
        action: 'send',
        channel,
        title: 'Deliver a test',
        description: 'Rollcall sends it after a call of the operation `testWebhook`.',
        messages: sent([TEST]),
        bindings: post,
      },
    },
    components: { messages, schemas: { ...shared.used(), Headers: headers } },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

const introduction = `Rollcall sends these messages to the URLs of webhooks, each in a POST.

Messages are signed by the Standard Webhooks specification. Its libraries verify them with the secret of the webhook and the
unchanged body. The examples are signed with \`${secretExample}\`; their bodies are the payloads as JSON without white space.

An event may come twice, with the same \`webhook-id\`. The first attempt at an event follows the first attempt at the previous
event of the same record (\`previous_id\`). If the receiver does not answer 2xx within 15 seconds, the message is sent again.`

const post = { http: { method: 'POST', bindingVersion: '0.3.0' } }

const headers = {
  type: 'object',
  required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
  properties: {
    'webhook-id': {
      type: 'string',
      description: 'The id of the event; for a test, that of the delivery. It is the same in each attempt.',
    },
    'webhook-timestamp': {
      type: 'string',
      pattern: '^[0-9]+$',
      description: 'When the attempt began, in seconds since 1970. Libraries refuse messages older than five minutes.',
    },
    'webhook-signature': {
      type: 'string',
      pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
      description:
        'HMAC-SHA-256 of id, timestamp and body, joined by dots. For 24 hours after the secret was replaced there are two signatures, separated by a space.',
    },
  },
}

function eventMessage(type: string, anyEvent: object, example: Payload | undefined): object {
  const kind = type.slice(0, type.indexOf('.')) as RecordKind
  const ofType = {
    properties: { type: { const: type }, record: { properties: { kind: { const: kind } } } },
  }
  const verb = type.slice(kind.length + 1).replace('_', ' ')
  return message(type, `${kindNames[kind]}: ${verb}`, eventNotes[type], { allOf: [anyEvent, ofType] }, example)
}

const testMessage = (example: Payload | undefined): object => {
  const { webhook_id: description } = messageFields
  const data = object({ webhook_id: { type: 'string', description } }, ['webhook_id'])
  return message(TEST, 'A test', 'It has no event.', data, example)
}

function message(name: string, title: string, note: string | undefined, data: object, example: Payload | undefined) {
  if (!example) throw new Error(`There is no example of ${name}: npm run examples`)
  const { type, timestamp } = messageFields
  return {
    name,
    title,
    ...(note ? { description: note } : {}),
    tags: [{ name: name.slice(0, name.indexOf('.')) }],
    headers: ref('schemas', 'Headers'),
    payload: object(
      {
        type: { const: name, description: type },
        timestamp: { ...moment, description: timestamp },
        data,
      },
      ['type', 'timestamp', 'data'],
    ),
    examples: [{ name, summary: title, headers: headersOf(example), payload: example }],
  }
}

/** The headers of a message that is sent at once. */
function headersOf(payload: Payload) {
  const id = payload.data.id ?? (recordedAnswer('testWebhook', exampleName(testWebhook)) as { id: string }).id
  const timestamp = Math.floor(Date.parse(payload.timestamp) / 1000)
  return signedHeaders({ id, timestamp, body: JSON.stringify(payload) }, [secretExample])
}

const recordedMessages = (): Readonly<Record<string, Payload>> =>
  existsSync(messagesFile) ? JSON.parse(readFileSync(messagesFile, 'utf8')) : {}

if (import.meta.main) await keepCurrent('schemas/asyncapi.json', asyncapi, 'npm run asyncapi')
