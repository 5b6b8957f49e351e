import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test, vi } from 'vitest'
import { TEST } from '../../domain/webhooks/message.ts'
import { asyncapi } from '../../local/build/asyncapi.ts'
import { eventTypes, recordKinds } from '../../schemas/events.ts'
import { secretExample } from '../../schemas/reference/webhooks.ts'
import type { Any } from '../harness/call.ts'

const text = readFileSync(new URL('../../schemas/asyncapi.json', import.meta.url), 'utf8')
const document: Any = JSON.parse(text)
const { messages } = document.components

test('is current', async () => {
  expect(text, 'npm run asyncapi').toBe(await asyncapi())
})

test('has a message of each type of event, and one of a test, on one channel and in one operation', () => {
  const types = [...eventTypes, TEST]
  expect(Object.keys(messages)).toEqual(types)
  expect(Object.keys(document.channels.webhook.messages)).toEqual(types)
  const sent = Object.values<Any>(document.operations).flatMap((operation) => operation.messages)
  expect(sent.map(({ $ref }) => $ref)).toEqual(types.map((type) => `#/channels/webhook/messages/${type}`))
})

describe('an example', () => {
  // The version of JSON Schema that AsyncAPI extends.
  const ajv = new Ajv({ allErrors: true, strict: false })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'asyncapi', components: document.components })
  const judge = (schema: Any) => {
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"asyncapi#/')))
    return (value: unknown): unknown => (validate(value) ? [] : validate.errors)
  }
  const faultsOfHeaders = judge(document.components.schemas.Headers)

  test.each(Object.entries<Any>(messages))('of %s fits its schemas, and its signature is right', (type, message) => {
    const [{ headers, payload }] = message.examples
    const faultsOf = judge(message.payload)
    expect([payload.type, faultsOf(payload), faultsOfHeaders(headers)]).toEqual([type, [], []])
    expect(faultsOf({ ...payload, type: 'user.flown' })).not.toEqual([])
    expect(faultsOf({ ...payload, data: { ...payload.data, more: 1 } })).not.toEqual([])
    vi.useFakeTimers({ now: Number(headers['webhook-timestamp']) * 1000, toFake: ['Date'] })
    try {
      expect(new Webhook(secretExample).verify(JSON.stringify(payload), headers)).toEqual(payload)
    } finally {
      vi.useRealTimers()
    }
  })
})

// The parser and what it needs take 55 MB, and only this test needs them: so they are in the separate package test/checks.
const parserFolder = new URL('../checks/', import.meta.url)
const isParserInstalled = existsSync(new URL('node_modules/.package-lock.json', parserFolder))

describe(`the parser of AsyncAPI${isParserInstalled ? '' : ': LEFT OUT, node local/prepare.mjs test/checks installs it'}`, () => {
  /** What it finds, down to hints. */
  const faultsIn = async (source: string): Promise<string[]> => {
    const { Parser } = createRequire(new URL('package.json', parserFolder))('@asyncapi/parser')
    const diagnostics: Any[] = await new Parser().validate(source)
    return diagnostics.map(({ code, message, path }) => `${code}: ${message} ${path.join('.')}`)
  }

  test.skipIf(!isParserInstalled)('finds no fault, and no room for improvement', async () => {
    expect(await faultsIn(text)).toEqual([])
  })

  test.skipIf(!isParserInstalled)('would find one', async () => {
    const channel = { $ref: '#/channels/webhook' }
    const broken = {
      ...document,
      channels: { webhook: {} },
      operations: { one: { action: 'publish', channel } },
      components: {},
    }
    expect(await faultsIn(JSON.stringify(broken))).toEqual([expect.stringContaining('operations.one.action')])
  })
})

test('docs/events.md names each type of event', () => {
  const page = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| '))
  for (const kind of recordKinds) {
    const row = rows.find((line) => line.includes(`\`${kind}\``)) ?? ''
    const verbs = eventTypes.filter((type) => type.startsWith(`${kind}.`)).map((type) => type.slice(kind.length + 1))
    expect(
      verbs.filter((verb) => !row.includes(verb)),
      kind,
    ).toEqual([])
  }
})
