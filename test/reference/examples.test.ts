import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { systemCause } from '../../domain/table/actions.ts'
import type { Item } from '../../domain/table/store.ts'
import { TEST } from '../../domain/webhooks/message.ts'
import { openapi } from '../../local/build/openapi.ts'
import { exampleName, examplesOf } from '../../local/build/openapiOperation.ts'
import { demoDirectory } from '../../local/demo/demo.ts'
import { addDemoTokens } from '../../local/demo/serviceTokens.ts'
import { serviceAccountId } from '../../local/identity/tokenEndpoint.ts'
import type { Contract } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import { eventTypes } from '../../schemas/events.ts'
import { answersFile, features, messagesFile, referenceOf } from '../../schemas/reference/reference.ts'
import { etag } from '../../schemas/reference/shared.ts'
import { secretExample } from '../../schemas/reference/webhooks.ts'
import { dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { type Fill, startService } from '../harness/service.ts'
import { makeExamplePlans } from './examplePlans.ts'
import { makeExampleWebhooks } from './exampleWebhooks.ts'
import { sentMessages } from './sentMessages.ts'

// Every request that the document shows is sent to the demo organisation as it stands there. The answers are the ones that
// the document shows: they are kept in schemas/reference/answers/, and `npm run examples` writes them again.

const document: Any = JSON.parse(await openapi())
const operations = new Map<string, Any>(
  Object.values(document.paths).flatMap((path: Any) =>
    Object.entries<Any>(path).map(([method, operation]) => [operation.operationId, { ...operation, method }] as const),
  ),
)
const described = Object.values(features).flatMap((feature) => Object.keys(feature))
// A preview has a body, and writes nothing.
const reads = described.filter((name) => operations.get(name).method === 'get' || name === 'previewRule')
const changes = described.filter((operation) => !reads.includes(operation))

const sentIn = (place: string, parameters: Any[]): Record<string, string> =>
  Object.fromEntries(
    parameters
      .filter((one) => one.in === place && 'example' in one)
      .map(({ name, example }) => [name, [example].flat().join(',')]),
  )

const lastingOf = (key: string, value: unknown): unknown => {
  if (key === 'etag') return etag
  return key === 'secret' ? secretExample : value
}

/** What differs from run to run: cursors, secrets and some ids are random. */
const lasting = (body: Any): Any =>
  JSON.parse(
    JSON.stringify(body, (key, value) =>
      key === 'next_cursor' && value !== null ? 'kWq0Zb3yT1mU9c2VhQ' : lastingOf(key, value),
    )
      .replace(uuid, 'c6af9ac6-7b61-41e6-9a41-93e8deadbeef')
      .replace(/(rct_[0-9A-Za-z]{22})_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}/g, `$1_${'x'.repeat(43)}_xxxxxx`)
      .replace(newTokenId, 'DemoNewToken0000000001'),
  )
const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const newTokenId = /(?<="id":"|rct_)(?!Demo)[0-9A-Za-z]{22}(?=["_])/g

/** The same of a message: it keeps apart the ids in it, such as that of the event and that of the one before it. */
function lastingIds(text: string): string {
  const ids = [...new Set(text.match(uuid))]
  return text
    .replace(uuid, (id) => `c6af9ac6-7b61-41e6-9a41-${String(ids.indexOf(id) + 1).padStart(12, '0')}`)
    .replace(newTokenId, 'DemoNewToken0000000001')
}

const sentBody = ({ bytes }: Contract, content: Any, name: string) =>
  bytes
    ? { octets: Buffer.from(content['application/octet-stream'].examples[name].value) }
    : { body: content?.['application/json'].examples[name].value }

/** Sends an operation's examples one after the other. */
async function run(operation: string): Promise<Record<string, Any>> {
  const { parameters, requestBody } = operations.get(operation)
  const contract = contracts[operation] as Contract
  const answered: Record<string, Any> = {}
  for (const example of examplesOf(contract, referenceOf(operation) as never)) {
    const name = exampleName(example)
    const reply = await call(operation, {
      as: serviceAccountId,
      path: sentIn('path', parameters),
      query: sentIn('query', parameters),
      ...sentBody(contract, requestBody?.content, name),
    })
    expect(reply.status, `${operation}, ${name}: ${JSON.stringify(reply.body)}`).toBe(example.status)
    if (reply.body !== undefined) answered[name] = lasting(reply.body)
  }
  return answered
}

/** Events of one moment are listed in the order of their ids. */
const inTurns = () => {
  let n = 0
  return () => `00000000-0000-4000-8000-${String(++n).padStart(12, '0')}`
}
const startDemo = (fill: Fill) =>
  startService({ fill, indexes: ['by_location_or_due', 'by_created_at', 'by_id'], newToken: inTurns() })
const importDemo: Fill = async (open, now) => {
  const store = open.causedBy(systemCause('importDirectory'))
  await importDirectory({ store, now: now.toISOString(), newId: randomUUID }, demoDirectory(now))
  await addDemoTokens(store, now.toISOString())
  await makeExampleWebhooks(store, now.toISOString())
  await makeExamplePlans(open, now.toISOString())
  // The first rules of an organisation are applied a minute later.
  const clock = () => new Date(now.getTime() + 120_000)
  await finishOverdue({ store: open, clock, timeLeft: () => 60_000, log: () => {} })
}
/** The demo organisation as the import has left it: putting it into another table takes a tenth of an import. */
let imported: Item[] = []
const copyDemo: Fill = (store) => store.bulk(imported.map((put) => ({ put })))

type Found = { answers: Map<string, Record<string, Any>>; messages: Record<string, Any> }
let found: Promise<Found> | undefined
/** The answers to all of them, each in its turn, reads first, and the messages that webhooks get of what they change. */
function inTurn(): Promise<Found> {
  const answered = async () => {
    const service = await startDemo(importDemo)
    imported = await dump(service)
    const answers = new Map<string, Record<string, Any>>()
    for (const operation of [...reads, ...changes]) answers.set(operation, await run(operation))
    return { answers, messages: await sentMessages(service, lastingIds) }
  }
  found ??= answered()
  return found
}

const lines = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

describe('each in its turn, reads first', () => {
  test.each(Object.entries(features))('%s are answered as the document shows', async (feature, of) => {
    const { answers } = await inTurn()
    const shown = Object.fromEntries(Object.keys(of).map((operation) => [operation, answers.get(operation)]))
    await expect(lines(shown), 'npm run examples').toMatchFileSnapshot(fileURLToPath(answersFile(feature)))
  })

  test('they cause events of every type, and webhooks get them as schemas/asyncapi.json shows', async () => {
    const { messages } = await inTurn()
    expect(Object.keys(messages)).toEqual([...eventTypes, TEST])
    await expect(lines(messages), 'npm run examples').toMatchFileSnapshot(fileURLToPath(messagesFile))
  })
})

// So each works by itself: none needs what another has done, or meets what it has left.
describe('the other way round', () => {
  beforeAll(async () => {
    await inTurn()
    await startDemo(copyDemo)
  })
  test.each(changes.toReversed())('%s', async (operation) => {
    expect(await run(operation)).toEqual((await inTurn()).answers.get(operation))
  })
})
