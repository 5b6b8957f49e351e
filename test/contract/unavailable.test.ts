import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { handler as refuseInactiveUser } from '../../handlers/identity/refuseInactiveUser.ts'
import { identity, tokenVerifier } from '../../handlers/middleware/tokens.ts'
import { type Any, call } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { type Service, startService } from '../harness/service.ts'
import { type Behaviour, failing, faultyServer, throttled, withDatabase } from '../harness/silence.ts'

// From the log line of a 503 an operator names its cause: what was asked, how often, for how long, and what went wrong.

let service: Service
beforeAll(async () => {
  service = await startService()
})

const path = { user_id: 'plain' }
const secrets = /plain|admin|Bearer|eyJ/

/** The one log line since the last look. */
function onlyLine(): Record<string, unknown> {
  const lines = service.logged()
  expect(lines).toHaveLength(1)
  expect(JSON.stringify(lines)).not.toMatch(secrets)
  return lines[0] ?? {}
}

/** The lines that the runbook shows. */
const shown = [...readFileSync('docs/operate.md', 'utf8').matchAll(/^\{"level":"error".*$/gm)].map(([line]) =>
  JSON.parse(line),
)
function expectAsShown(line: Record<string, unknown>): void {
  const { dependency, cause } = line
  const example = shown.find((one) => one.dependency === dependency && one.cause === cause)
  if (example) expect(line).toMatchObject({ ...example, waited_ms: expect.any(Number) })
}

it('the runbook shows a line of each', () => {
  expect(shown.map(({ dependency, cause }) => `${dependency} ${cause}`)).toEqual([
    'token issuer ETIMEDOUT',
    'token issuer ECONNREFUSED',
    'token issuer NoJson',
    'DynamoDB ProvisionedThroughputExceededException',
    'DynamoDB InternalServerError',
    'DynamoDB ETIMEDOUT',
  ])
})

/** A function on AWS that has just started, and whose issuer behaves like this. */
async function withIssuer<T>(behaviour: Behaviour, work: (calls: () => number) => Promise<T>): Promise<T> {
  const { url, calls, stop } = await faultyServer(behaviour)
  const { verifier } = identity
  const verify = tokenVerifier({ TOKEN_ISSUER: url, TOKEN_AUDIENCE: 'rollcall' })
  identity.verifier = () => verify
  try {
    return await work(calls)
  } finally {
    identity.verifier = verifier
    stop()
  }
}

describe('an issuer', () => {
  it.each<[string, Behaviour, object]>([
    ['hangs', 'hanging', { cause: 'ETIMEDOUT', attempts: 2 }],
    ['refuses', 'refusing', { cause: 'ECONNREFUSED', attempts: 2 }],
    ['fails', { status: 500, body: 'sorry' }, { cause: 'Status500', attempts: 2 }],
    ['answers nonsense', { status: 200, body: '<html>secret</html>' }, { cause: 'NoJson', attempts: 1 }],
  ])('that %s: the log says so, and it is left alone for a second', async (what, behaviour, why) => {
    await withIssuer(behaviour, async (calls) => {
      service.logged()
      expect((await call('getUser', { path })).body).toMatchObject({ status: 503, done: false })
      const line = onlyLine()
      const common = { level: 'error', endpoint: 'getUser', status: 503, dependency: 'token issuer' }
      expect(line).toMatchObject({ ...common, request: 'discovery', ...why })
      expectAsShown(line)
      // Two attempts of a second each.
      if (what === 'hangs') expect(line.waited_ms).toBeGreaterThan(1900)
      expect(line.waited_ms).toBeLessThan(4000)
      const before = calls()
      await Promise.all([1, 2, 3].map(() => call('getUser', { path })))
      expect(calls()).toBe(before)
      for (const again of service.logged()) expect(again).toMatchObject({ ...common, ...why, attempts: 0 })
    })
  })
})

const faults: [string, Behaviour, object][] = [
  ['is throttled', throttled, { cause: 'ProvisionedThroughputExceededException', attempts: 3 }],
  ['fails', failing, { cause: 'InternalServerError', attempts: 3 }],
  ['hangs', 'hanging', { cause: 'ETIMEDOUT', attempts: 3 }],
  ['refuses', 'refusing', { cause: 'ECONNREFUSED', attempts: 3 }],
]
const read = { dependency: 'DynamoDB', request: 'BatchGetItem', waited_ms: expect.any(Number) }

describe('a database', () => {
  it.each(faults)('that %s: the log says so', async (what, behaviour, why) => {
    service.logged()
    const { body } = await withDatabase(behaviour, () => call('getUser', { path }))
    expect(body).toMatchObject({ status: 503, error_code: 'SERVICE_UNAVAILABLE', done: false })
    const line = onlyLine()
    expect(line).toMatchObject({ level: 'error', endpoint: 'getUser', status: 503, ...read, ...why })
    expectAsShown(line)
    if (what === 'hangs') expect(line.waited_ms).toBeGreaterThan(2900)
    expect(line.waited_ms).toBeLessThan(4400)
  })

  it.each(faults)(
    'that %s: a user pool hears of it within its five seconds, and the log says so',
    async (_what, behaviour, why) => {
      service.logged()
      const event = { triggerSource: 'PreAuthentication_Authentication', userName: 'plain', request: {} } as Any
      const began = performance.now()
      const timeLeft = () => 5000 - (performance.now() - began)
      const asked = () => refuseInactiveUser(event, { getRemainingTimeInMillis: timeLeft } as Any)
      await withDatabase(behaviour, () => expect(asked()).rejects.toThrow('The directory cannot be asked'))
      expect(timeLeft()).toBeGreaterThan(0)
      expect(onlyLine()).toMatchObject({ level: 'error', endpoint: 'refuseInactiveUser', ...read, ...why })
    },
  )

  it('that hangs until the time of a call is over: the log says what it waited for', async () => {
    service.logged()
    const { body } = await withDatabase('hanging', () => call('getUser', { path, timeLeft: 1800 }))
    expect(body).toMatchObject({ status: 503, done: false })
    expect(onlyLine()).toMatchObject({
      status: 503,
      cause: 'OutOfTime',
      ...read,
      attempts: 2,
      last_cause: 'ETIMEDOUT',
    })
  })

  it('that has no room for some items of a batch: the log says so, although the answer is 200', async () => {
    service.logged()
    const { heal } = strike(service.client, (_n, command) =>
      command.startsWith('TransactWrite') ? 'throttle' : undefined,
    )
    onTestFinished(heal)
    const { status, body } = await call('deleteUsers', { body: { items: [{ id: 'plain' }] } })
    expect([status, body.items[0].status]).toEqual([200, 429])
    const failed = {
      dependency: 'DynamoDB',
      request: 'TransactWriteItems',
      cause: 'ProvisionedThroughputExceeded',
      attempts: 8,
    }
    expect(onlyLine()).toMatchObject({ status: 200, failed_request: failed })
  })
})
