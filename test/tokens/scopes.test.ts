import { beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import { type Scope, scopes } from '../../schemas/scopes.ts'
import { call } from '../harness/call.ts'
import { type Service, startService } from '../harness/service.ts'
import { giveToken } from '../harness/serviceTokens.ts'
import { countWrites } from '../harness/writes.ts'

// Every endpoint, whatever is added later, against a token with each scope alone. test/contract/scopes.unit.test.ts says which
// endpoint has which scopes, test/contract/callers.test.ts what users may call.

const tokens = new Map<Scope, string>()
let service: Service
let writes: () => number
beforeAll(async () => {
  service = await startService({ indexes: ['by_created_at'] })
  for (const scope of scopes) {
    const token = await giveToken(service, [scope])
    tokens.set(scope, token)
    // Its first use is noted once.
    await call('getUser', { token, path: { user_id: 'plain' } })
  }
  writes = countWrites(service)
})

/** Wrong in query and body at once: what is permitted ends with that. */
const wrong = { query: 'page_limit=0&embed=NOTHING&sort=NOTHING', rawBody: '{' }
const pathOf = ({ path }: Contract) =>
  Object.fromEntries(Object.keys((path?.properties ?? {}) as object).map((name) => [name, '!']))
const takes = ({ path, query, body }: Contract): boolean => Boolean(path || query || body)

describe.each(scopes)('a token with the scope %s', (scope) => {
  it('opens just the endpoints that name it', async () => {
    const before = writes()
    const all = Object.values(contracts)
    const answers = await Promise.all(
      all.map(async (contract) => {
        const { status, body } = await call(contract.name, {
          ...wrong,
          path: pathOf(contract),
          token: tokens.get(scope) as string,
        })
        return [contract.name, status, body?.error_code]
      }),
    )
    const expected = all.map((contract) => {
      if (!contract.scopes.includes(scope)) return [contract.name, 403, 'PERMISSION_MISSING']
      // A part of a file is bytes, and JSON is sent here.
      if (contract.bytes) return [contract.name, 415, 'UNSUPPORTED_MEDIA_TYPE']
      return takes(contract) ? [contract.name, 400, 'VALIDATION_ERROR'] : [contract.name, 200, undefined]
    })
    expect(answers).toEqual(expected)
    expect(writes()).toBe(before)
  })
})

it("a user's access needs READ, or the scopes of its three parts together", async () => {
  const path = { user_id: 'plain' }
  const ofParts = ['USERS', 'USER_GROUPS', 'CHANNELS'] as const
  const statusWith = async (some: Scope[]) =>
    (await call('listUserAccess', { path, token: await giveToken(service, some) })).status
  expect(await statusWith(['READ'])).toBe(200)
  expect(await statusWith([...ofParts])).toBe(200)
  for (const missing of ofParts) {
    const others = scopes.filter((scope) => !['READ', 'WEBHOOKS', missing].includes(scope))
    expect([missing, await statusWith(others)]).toEqual([missing, 403])
  }
  const { body } = await call('listUserAccess', { path, token: tokens.get('USERS') as string })
  expect(body.detail).toBe(
    'The service token has no scope for this: it needs READ, or USERS, USER_GROUPS and CHANNELS together',
  )
})

it('who may not read users cannot learn by rules what they are', async () => {
  const conditions = [{ field: 'ATTRIBUTE:salary', operator: 'STARTS_WITH', values: ['9'] }]
  const body = { title: 'Guess', user_group_id: 'sales', role_id: 'coach', conditions }
  const asked = async (some: Scope[]) => {
    const token = await giveToken(service, some)
    const before = writes()
    const replies = [
      await call('previewRule', { token, body: { conditions } }),
      await call('createRule', { token, body }),
      await call('updateRule', { token, path: { rule_id: 'x' }, body: { conditions } }),
    ]
    const coded = replies.map(({ body }) => body.error_code)
    // Making the token, and noting its first use.
    if (coded.every((code) => code === 'PERMISSION_MISSING')) expect(writes() - before).toBeLessThanOrEqual(1)
    return coded
  }
  const refused = Array(3).fill('PERMISSION_MISSING')
  for (const some of [['USER_GROUPS'], ['USER_GROUPS', 'CHANNELS', 'SCIM', 'SETTINGS'], ['READ'], ['USERS', 'READ']])
    expect(await asked(some as Scope[])).toEqual(refused)
  for (const other of ['READ', 'USERS'] as const) expect(await asked(['USER_GROUPS', other])).not.toContain(refused[0])
  // What tells nothing of users stays as it was.
  const token = tokens.get('USER_GROUPS') as string
  expect((await call('listRules', { token })).status).toBe(200)
  expect((await call('deleteRule', { token, path: { rule_id: 'x' } })).body.error_code).toBe('RULE_NOT_FOUND')
})

it('what a token lacks is said to its holder', async () => {
  const token = tokens.get('USERS') as string
  const { body } = await call('listUsers', { token: tokens.get('CHANNELS') as string })
  expect(body.detail).toBe('The service token has no scope for this: it needs READ or USERS')
  expect((await call('getTask', { token, path: { task_id: 'x' } })).body.detail).toBe('Service tokens cannot do this')
})
