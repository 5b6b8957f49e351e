import { beforeAll, describe, expect, it, vi } from 'vitest'
import { textOfKey } from '../../domain/table/items.ts'
import { layoutKey, organisationKey, serviceTokenKey, tokenUseKey, userKey } from '../../domain/table/keys.ts'
import type { Key } from '../../domain/table/store.ts'
import type { Any } from '../harness/call.ts'
import { testClient } from '../harness/client.ts'
import { keepLedger } from '../harness/ledger.ts'
import { people } from '../harness/seed.ts'
import { startService } from '../harness/service.ts'
import { forgedToken, giveToken, tokenId } from '../harness/serviceTokens.ts'
import { expectAnswer, patchBody, scim } from './scim.ts'

// Callers who may not call SCIM: whatever they send, it costs one wave of reads, and with a body only the read of themselves.

let ledger: Awaited<ReturnType<typeof keepLedger>>
let withoutScope: string

beforeAll(async () => {
  const service = await startService({
    indexes: 'all',
    users: [...people, { id: 'shut', username: 'shut', role: 'ADMIN', status: 'LOCKED' }],
  })
  ledger = await keepLedger(service.client, testClient())
  withoutScope = await giveToken(service, ['READ', 'USERS', 'USER_GROUPS'], { id: tokenId('narrow') })
})

const members = Array.from({ length: 9999 }, (_, n) => ({ value: `u-${n}` }))
const group = { displayName: 'Large', members }
const filter = Array.from({ length: 99 }, (_, n) => `members.value eq "u-${n}"`).join(' or ')
const operations = members.slice(0, 900).map(({ value }) => ({ op: 'add', path: 'members', value: [{ value }] }))
const routes: [method: string, path: string, request?: { body?: object; query?: Record<string, string> }][] = [
  ['GET', '/Users', { query: { filter: 'title co "x"' } }],
  ['POST', '/Users', { body: { userName: 'x', externalId: 'y', title: 'z' } }],
  ['POST', '/Users/.search', { body: { filter: 'userName eq "plain"' } }],
  ...['GET', 'HEAD', 'DELETE'].map((method): [string, string] => [method, '/Users/plain']),
  ['PUT', '/Users/plain', { body: { userName: 'x' } }],
  ['PATCH', '/Users/plain', { body: patchBody({ op: 'replace', path: 'title', value: 'x' }) }],
  ['GET', '/Groups', { query: { filter } }],
  ['POST', '/Groups', { body: group }],
  ['POST', '/Groups/.search', { body: { filter } }],
  ...['GET', 'HEAD', 'DELETE'].map((method): [string, string] => [method, '/Groups/sales']),
  ['PUT', '/Groups/sales', { body: group }],
  ['PATCH', '/Groups/sales', { body: patchBody(...operations) }],
  ...['/Schemas', '/ResourceTypes', '/Me', '/Nothing'].map((path): [string, string] => ['GET', path]),
]
type Caller = { as?: string; token?: string; status: number; own: Key[] }
const callers = {
  'a forged token': () => ({ token: forgedToken, status: 401, own: keysOfToken(forgedToken.split('_')[1] as string) }),
  'a token without the scope': () => ({ token: withoutScope, status: 403, own: keysOfToken(tokenId('narrow')) }),
  'a user who is no administrator': () => ({ as: 'plain', status: 403, own: [userKey('plain')] }),
  'a locked administrator': () => ({ as: 'shut', status: 401, own: [userKey('shut')] }),
  'a user who does not exist': () => ({ as: 'ghost', status: 401, own: [userKey('ghost')] }),
} satisfies Record<string, () => Caller>
const keysOfToken = (id: string): Key[] => [serviceTokenKey(id), tokenUseKey(id)]

const names = Object.keys(callers) as (keyof typeof callers)[]

describe.each(names)('%s', (name) => {
  it.each(routes)('%s %s: one wave of reads, and the body is not parsed', async (method, path, request = {}) => {
    const { status, own, ...caller } = callers[name]() as Caller
    const parse = vi.spyOn(JSON, 'parse')
    const { answer, entry } = await ledger.of(() => scim(method, path, { ...request, ...caller }))
    const parsed = parse.mock.calls.map(([text]) => text)
    parse.mockRestore()
    if (method !== 'HEAD') expectAnswer(answer, status)
    expect(answer.status).toBe(status)
    // The use of a token that is known but lacks the scope may be noted.
    const waves = entry.sent.filter((wave) => wave.some(({ command }) => command !== 'TransactWriteItemsCommand'))
    expect(waves.length).toBe(1)
    if (method === 'GET' || method === 'HEAD') return
    expect(waves[0]?.map(({ command }) => command)).toEqual(['BatchGetItemCommand'])
    const allowed = new Set([...own, organisationKey, layoutKey].map(textOfKey))
    expect(keysIn(waves[0]?.[0]?.input).filter((key) => !allowed.has(key))).toEqual([])
    if (request.body) expect(parsed).not.toContain(JSON.stringify(request.body))
  })
})

const keysIn = ({ RequestItems }: Any): string[] =>
  Object.values<Any>(RequestItems).flatMap(({ Keys }) => Keys.map(textOfKey))
