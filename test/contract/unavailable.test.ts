import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { documentClient, patience } from '../../domain/table/documentClient.ts'
import { callPolicy } from '../../domain/table/dynamo.ts'
import { handler as refuseInactiveUser } from '../../handlers/identity/refuseInactiveUser.ts'
import { identity, tokenVerifier } from '../../handlers/middleware/issuerTokens.ts'
import { type Any, call } from '../harness/call.ts'
import { strike, untilOutOfTime, withoutWaits } from '../harness/faults.ts'
import { type Service, startService } from '../harness/service.ts'
import { type Behaviour, faultyServer, withDatabase } from '../harness/silence.ts'
import { tokenFor } from '../harness/tokens.ts'

// From the log line of a 503 an operator names its cause: what was asked, how often, for how long, and what went wrong.

let service: Service
beforeAll(async () => {
  service = await startService()
})

const path = { user_id: 'plain' }
const secrets = /plain|admin|Bearer|eyJ/

/** DynamoDB's answer to a request beyond the capacity of the table, and to one that fails. */
const throttled: Behaviour = {
  status: 400,
  body: '{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}',
}
const failing = {
  status: 500,
  body: '{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"sorry"}',
} satisfies Behaviour

/** The one log line since the last look. */
function onlyLine(): Record<string, unknown> {
  const lines = service.logged()
  expect(lines).toHaveLength(1)
  expect(JSON.stringify(lines)).not.toMatch(secrets)
  return lines[0] ?? {}
}

/** Who issues the tokens of calls: a token of another issuer is refused before its keys are asked for. */
let issuerOfTokens = ''
const get = () => call('getUser', { path, token: tokenFor('admin', { claims: { iss: issuerOfTokens } }) })

/**
 * A function on AWS that has just started, and whose issuer behaves like this. The clock stands still. A request that hangs
 * is given up after a tenth of its time; any other has its answer however busy this machine is.
 */
async function withIssuer<T>(behaviour: Behaviour, work: (calls: () => number) => Promise<T>): Promise<T> {
  const { url, calls, stop } = await faultyServer(behaviour)
  vi.useFakeTimers({ toFake: ['Date'] })
  const after = AbortSignal.timeout.bind(AbortSignal)
  const signals = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => (behaviour === 'hanging' ? after(ms / 10) : new AbortController().signal))
  const { verifier } = identity
  const verify = tokenVerifier({ TOKEN_ISSUER: url, TOKEN_AUDIENCE: 'rollcall' })
  identity.verifier = () => verify
  issuerOfTokens = url
  try {
    const answer = await work(calls)
    expect(new Set(signals.mock.calls.flat())).toEqual(new Set([1000]))
    return answer
  } finally {
    identity.verifier = verifier
    stop()
    signals.mockRestore()
    vi.useRealTimers()
  }
}

/** What the line of each refused call says. */
const refused = { level: 'error', endpoint: 'getUser', status: 503, error_code: 'SERVICE_UNAVAILABLE' }

describe('an issuer', () => {
  it.each<[string, Behaviour, object]>([
    ['hangs', 'hanging', { cause: 'ETIMEDOUT', attempts: 2 }],
    ['refuses', 'refusing', { cause: 'ECONNREFUSED', attempts: 2 }],
    ['fails', { status: 500, body: 'sorry' }, { cause: 'Status500', attempts: 2 }],
    ['answers nonsense', { status: 200, body: '<html>secret</html>' }, { cause: 'NoJson', attempts: 1 }],
  ])('that %s: the log says so, and it is left alone for a second', async (_what, behaviour, why) => {
    await withIssuer(behaviour, async (calls) => {
      service.logged()
      expect((await get()).body).toMatchObject({ status: 503, done: false })
      const common = { ...refused, dependency: 'token issuer' }
      expect(onlyLine()).toMatchObject({ ...common, request: 'discovery', waited_ms: expect.any(Number), ...why })
      const before = calls()
      await Promise.all([1, 2, 3].map(() => get()))
      expect(calls()).toBe(before)
      for (const again of service.logged()) expect(again).toMatchObject({ ...common, ...why, attempts: 0 })
    })
  })
})

const faults: [string, Behaviour, object][] = [
  ['is throttled', throttled, { cause: 'ProvisionedThroughputExceededException', attempts: 12 }],
  ['fails', failing, { cause: 'InternalServerError', attempts: 12 }],
  ['hangs', 'hanging', { cause: 'ETIMEDOUT', attempts: expect.any(Number) }],
  ['refuses', 'refusing', { cause: 'ECONNREFUSED', attempts: 12 }],
  ['speaks no TLS', 'plain', { cause: expect.stringMatching(/^(EPROTO$|ERR_SSL_)/), attempts: 12 }],
]
const read = { dependency: 'DynamoDB', request: 'BatchGetItem', waited_ms: expect.any(Number) }

describe('a database', () => {
  it.each([
    ['before the five seconds of a user pool are over', {}, patience],
    ['later on a laptop', { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }, { ...patience, requestTimeout: 10_000 }],
  ])('is given up %s', async (_when, env, expected) => {
    const { config } = documentClient(env)
    expect(await (config.requestHandler as Any).configProvider).toMatchObject(expected)
    expect(await config.maxAttempts()).toBe(1)
    // The last try may begin when the time of the policy is over.
    expect(callPolicy.ms + patience.requestTimeout).toBeLessThanOrEqual(4000)
  })

  it.each(faults)('that %s: the log says so', async (_what, behaviour, why) => {
    service.logged()
    const { body } = await withDatabase(behaviour, () => call('getUser', { path }))
    expect(body).toMatchObject({ status: 503, error_code: 'SERVICE_UNAVAILABLE', done: false })
    expect(onlyLine()).toMatchObject({ ...refused, ...read, ...why })
  })

  it.each(faults)('that %s: a user pool hears of it, and the log says so', async (_what, behaviour, why) => {
    service.logged()
    const event = { triggerSource: 'PreAuthentication_Authentication', userName: 'plain', request: {} } as Any
    const asked = () => refuseInactiveUser(event, { getRemainingTimeInMillis: () => 60_000 } as Any)
    await withDatabase(behaviour, () => expect(asked()).rejects.toThrow('The directory cannot be reached'))
    expect(onlyLine()).toMatchObject({ level: 'error', endpoint: 'refuseInactiveUser', ...read, ...why })
  })

  it('that hangs until the time of a call is over: the log says what it waited for', async () => {
    service.logged()
    const behaviour: Behaviour = { ...failing, only: 'first' }
    const { body } = await withDatabase(behaviour, (calls) =>
      untilOutOfTime(
        () => calls() > 1,
        () => call('getUser', { path }),
      ),
    )
    expect(body).toMatchObject({ status: 503, done: false })
    expect(onlyLine()).toMatchObject({
      status: 503,
      cause: 'OutOfTime',
      ...read,
      attempts: 2,
      last_cause: 'InternalServerError',
    })
  })

  it('that has no room for some items of a batch: the log says so, although the answer is 200', async () => {
    service.logged()
    const { heal } = strike(service.client, (_n, command) =>
      command.startsWith('TransactWrite') ? 'throttle' : undefined,
    )
    onTestFinished(heal)
    const { status, body } = await withoutWaits(() => call('deleteUsers', { body: { items: [{ id: 'plain' }] } }))
    expect([status, body.items[0].status]).toEqual([200, 429])
    const failed = {
      dependency: 'DynamoDB',
      request: 'TransactWriteItems',
      cause: 'ProvisionedThroughputExceeded',
      attempts: 12,
    }
    expect(onlyLine()).toMatchObject({ status: 200, failed_request: failed })
  })
})
