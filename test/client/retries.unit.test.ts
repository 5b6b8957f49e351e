import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ClientOptions, clientCredentials, createClient, RollcallError } from '../../client/src/index.ts'

const users = '/api/admin/users/v4/users'
const aUser = `${users}/{user_id}` as const
const ann = { params: { path: { user_id: 'ann' } } }
const newUser = {
  body: { first_name: 'A', last_name: 'B', username: 'ab', role: 'USER' as const, status: 'ACTIVE' as const },
}

type Sent = {
  method: string
  path: string
  token: string
  language: string | undefined
  key: string | undefined
  body: string
}
/** What a request is answered with, or the line is cut. */
type Reply = { status: number; body?: object; headers?: Record<string, string> } | 'CUT'

const good: Reply = { status: 200, body: { id: 'ann' } }
const problem = (status: number, error_code: string, more: object = {}): Reply => ({
  status,
  body: { status, error_code, detail: 'why', request_id: 'r', ...more },
})
const busy = (done: boolean | 'unknown'): Reply => problem(503, 'SERVICE_UNAVAILABLE', { done })
const refused = problem(401, 'UNAUTHENTICATED')

/** A server that gives these answers, one after the other, and the last one from then on. */
async function serving(...replies: Reply[]) {
  const sent: Sent[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    sent.push({
      method: request.method ?? '',
      path: request.url ?? '',
      token: request.headers.authorization?.replace('Bearer ', '') ?? '',
      language: request.headers['accept-language'],
      key: request.headers['idempotency-key'] as string | undefined,
      body: text,
    })
    const reply = replies[Math.min(sent.length, replies.length) - 1]
    if (!reply || reply === 'CUT') return void request.socket.destroy()
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    response.end(reply.body && JSON.stringify(reply.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { sent, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const clientOf = (baseUrl: string, options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl, token: () => ({ access_token: 't', expires_in: 3600 }), ...options })

const failure = (call: Promise<unknown>): Promise<RollcallError> =>
  call.then(
    () => expect.fail('The call has succeeded'),
    (error) => error,
  )

/** Milliseconds of the pauses between attempts. They are not waited for. */
let pauses: number[]
beforeEach(() => {
  pauses = []
  const wait = globalThis.setTimeout
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
    if (!new Error().stack?.includes('client/src/retries')) return wait(run, ms)
    pauses.push(ms)
    return wait(run, 0)
  }) as typeof setTimeout)
})
afterEach(() => vi.restoreAllMocks())

test('each pause is announced before it begins, and headers of every call go with each attempt', async () => {
  const throttled: Reply = { status: 429, body: { done: false }, headers: { 'retry-after': '3' } }
  const { sent, baseUrl } = await serving(busy(false), throttled, good)
  const announced: unknown[] = []
  let language = 'de'
  const onPause = (seconds: number, { status }: RollcallError) => announced.push([Math.round(seconds * 1000), status])
  const client = clientOf(baseUrl, { headers: () => ({ 'accept-language': language }), onPause })
  await client.GET(aUser, ann)
  expect(announced).toEqual([
    [pauses[0], 503],
    [pauses[1], 429],
  ])
  expect(pauses[1]).toBeGreaterThan(3000)
  language = 'fr'
  await client.GET(aUser, ann)
  await client.GET(aUser, { params: { ...ann.params, header: { 'accept-language': 'en' } } })
  expect(sent.map((one) => one.language)).toEqual(['de', 'de', 'de', 'fr', 'en'])
})

describe('a call is sent again', () => {
  const reading = (baseUrl: string) => clientOf(baseUrl).GET(aUser, ann)
  const creating = (baseUrl: string) => clientOf(baseUrl).POST(users, newUser)
  const changing = (baseUrl: string) => clientOf(baseUrl).PATCH(aUser, { ...ann, body: { first_name: 'C' } })
  const deleting = (baseUrl: string) => clientOf(baseUrl).DELETE(aUser, ann)
  const locking = (baseUrl: string) => clientOf(baseUrl).POST(`${aUser}/lock`, ann)
  const batching = (baseUrl: string) =>
    clientOf(baseUrl).POST(`${users}/restore/batch`, { body: { items: [{ id: 'ann' }] } })
  const all = { reading, creating, changing, deleting, locking, batching }
  const repeatable = { reading, creating, changing, deleting, locking }

  const passing: [string, Reply][] = [
    ['nothing was done', busy(false)],
    ['there were too many calls', problem(429, 'TOO_MANY_REQUESTS')],
    ['a gateway throttles', { status: 429, body: { message: 'Too Many Requests' } }],
    ['others kept changing the record', problem(409, 'CONCURRENT_MODIFICATION')],
  ]
  const lost: [string, Reply][] = [
    ['nobody knows what was done', busy('unknown')],
    ['it was done, but could not be shown', busy(true)],
    ['the answer is lost', 'CUT'],
    ['a gateway does not reach the service', { status: 502 }],
    ['a gateway has no time', { status: 504 }],
  ]

  test.each(passing.flatMap((one) => Object.entries(all).map(([what, call]) => [what, ...one, call] as const)))(
    '%s, if %s',
    async (_what, _why, reply, call) => {
      const { sent, baseUrl } = await serving(reply, reply, good)
      expect((await call(baseUrl)).data).toEqual(good.body)
      expect(sent).toHaveLength(3)
      expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1)
    },
  )

  test.each(lost.flatMap((one) => Object.entries(repeatable).map(([what, call]) => [what, ...one, call] as const)))(
    '%s, if %s',
    async (_what, _why, reply, call) => {
      const { sent, baseUrl } = await serving(reply, good)
      expect((await call(baseUrl)).data).toEqual(good.body)
      expect(sent[1]).toEqual(sent[0])
    },
  )

  test.each(lost)('but not one whose repetition answers something else, if %s', async (_why, reply) => {
    const { sent, baseUrl } = await serving(reply, good)
    const { done } = await failure(batching(baseUrl))
    expect([sent.length, done]).toEqual([1, reply === lost[1]?.[1] ? true : 'unknown'])
  })

  test.each([
    problem(400, 'VALIDATION_ERROR'),
    problem(401, 'ACTOR_NOT_ACTIVE'),
    problem(409, 'USERNAME_ALREADY_EXISTS'),
    problem(412, 'PRECONDITION_FAILED'),
    problem(500, 'INTERNAL_ERROR'),
  ])('but not after a refusal: %o', async (reply) => {
    const { sent, baseUrl } = await serving(reply, good)
    const error = await failure(changing(baseUrl))
    expect(error).toBeInstanceOf(RollcallError)
    expect([error.name, error.detail]).toEqual(['RollcallError', 'why'])
    expect(sent).toHaveLength(1)
  })

  test('as often as the client says', async () => {
    const { sent, baseUrl } = await serving(busy(false))
    const { error_code, status } = await failure(clientOf(baseUrl, { attempts: 3 }).GET(aUser, ann))
    expect([error_code, status, sent.length]).toEqual(['SERVICE_UNAVAILABLE', 503, 3])
  })

  test('after as long as the answer says, or longer and longer', async () => {
    const late = { status: 503, body: { done: false }, headers: { 'retry-after': '2' } }
    const { baseUrl } = await serving(late, 'CUT', { status: 502, headers: { 'retry-after': 'soon' } }, good)
    await reading(baseUrl)
    expect(pauses).toEqual([2200, 400, 800])
  })

  test('until the caller gives up', async () => {
    const { sent, baseUrl } = await serving(busy(false))
    const giveUp = AbortSignal.abort(new Error('enough'))
    expect((await failure(clientOf(baseUrl).GET(aUser, { ...ann, signal: giveUp }))).message).toBe('enough')
    const controller = new AbortController()
    vi.mocked(Math.random).mockImplementation(() => {
      controller.abort(new Error('enough, too'))
      return 1e6
    })
    const call = clientOf(baseUrl).GET(aUser, { ...ann, signal: controller.signal })
    expect((await failure(call)).message).toBe('enough, too')
    expect(sent).toHaveLength(1)
  })

  test('if no answer comes in time', async () => {
    const over = new AbortController()
    const limits = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal)
    limits.mockReturnValueOnce(over.signal)
    const server = createServer((_request, response) => {
      if (!over.signal.aborted) over.abort(new DOMException('The time is over', 'TimeoutError'))
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"ann"}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect((await clientOf(baseUrl, { timeout: 300 }).GET(aUser, ann)).data.id).toBe('ann')
    expect(limits.mock.calls).toEqual([[300], [300]])
  })

  test('with the caller’s own key', async () => {
    const { sent, baseUrl } = await serving('CUT', good)
    await clientOf(baseUrl).POST(users, { ...newUser, params: { header: { 'idempotency-key': 'mine' } } })
    expect(sent.map(({ key }) => key)).toEqual(['mine', 'mine'])
  })

  test('with a key also on a page without TLS', async () => {
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
    onTestFinished(() => void vi.unstubAllGlobals())
    const { sent, baseUrl } = await serving(good)
    await clientOf(baseUrl).POST(users, newUser)
    expect(sent.map(({ key }) => key)).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
  })

  test('with another key than other calls, and no key where none is taken', async () => {
    const { sent, baseUrl } = await serving(good)
    for (const call of [creating, creating, locking, changing]) await call(baseUrl)
    expect(sent.map(({ key }) => typeof key)).toEqual(['string', 'string', 'undefined', 'undefined'])
    expect(sent[0]?.key).not.toBe(sent[1]?.key)
  })
})

describe('an error', () => {
  test('has the fields of the problem', async () => {
    const errors = [{ property: 'username', message: 'is missing' }]
    const { baseUrl } = await serving(problem(400, 'VALIDATION_ERROR', { property: 'username', errors }))
    const error = await failure(clientOf(baseUrl).POST(users, newUser))
    expect(error).toMatchObject({ status: 400, error_code: 'VALIDATION_ERROR', property: 'username', errors })
    expect([error.message, error.request_id, error.done]).toEqual(['400 VALIDATION_ERROR: why', 'r', false])
  })

  test('of something in between has the status alone', async () => {
    const { baseUrl } = await serving({ status: 403 })
    const error = await failure(clientOf(baseUrl).GET(aUser, ann))
    expect([error.status, error.error_code, error.done]).toEqual([403, undefined, false])
  })

  test('of a lost call names the cause', async () => {
    const { baseUrl } = await serving('CUT')
    const error = await failure(clientOf(baseUrl).DELETE(aUser, ann))
    expect([error.status, error.done, error.cause instanceof Error]).toEqual([undefined, 'unknown', true])
  })

  test.each<[string, Reply[], RollcallError['done']]>([
    ['a refusal alone', [problem(404, 'USER_NOT_FOUND')], false],
    ['a refusal after nothing was done', [busy(false), problem(404, 'USER_NOT_FOUND')], false],
    ['a refusal that may be due to our own success', ['CUT', problem(404, 'USER_NOT_FOUND')], 'unknown'],
    ['a refusal after our own success', ['CUT', busy(true), busy(false), problem(404, 'USER_NOT_FOUND')], true],
    ['a fault of the service', [problem(500, 'INTERNAL_ERROR')], 'unknown'],
  ])('%s says what became of the call', async (_what, replies, done) => {
    const { baseUrl } = await serving(...replies)
    expect((await failure(clientOf(baseUrl).DELETE(aUser, ann))).done).toBe(done)
  })
})

describe('a token', () => {
  /** Tokens t1, t2 … */
  const counting = (expires_in?: number) => {
    let count = 0
    return vi.fn(async () => ({ access_token: `t${++count}`, ...(expires_in !== undefined && { expires_in }) }))
  }
  afterEach(() => vi.useRealTimers())

  test('serves all calls, also those at the same time', async () => {
    const { sent, baseUrl } = await serving(good)
    const client = clientOf(baseUrl, { token: counting() })
    await Promise.all([client.GET(aUser, ann), client.GET(aUser, ann)])
    await client.GET(aUser, ann)
    expect(sent.map(({ token }) => token)).toEqual(['t1', 't1', 't1'])
  })

  test.each([
    [3600, 3539, 3541],
    [100, 89, 91],
  ])('of %i seconds is renewed before it expires', async (life, before, after) => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 })
    const { sent, baseUrl } = await serving(good)
    const client = clientOf(baseUrl, { token: counting(life) })
    for (const second of [0, before, after]) {
      vi.setSystemTime(second * 1000)
      await Promise.all([client.GET(aUser, ann), client.GET(aUser, ann)])
    }
    expect(sent.map(({ token }) => token)).toEqual(['t1', 't1', 't1', 't1', 't2', 't2'])
  })

  test('is renewed once after it was refused, by one call for all', async () => {
    const { sent, baseUrl } = await serving(refused, refused, good)
    const token = counting()
    const client = clientOf(baseUrl, { token })
    await Promise.all([client.GET(aUser, ann), client.POST(users, newUser)])
    expect(sent.map(({ token }) => token)).toEqual(['t1', 't1', 't2', 't2'])
    expect([token.mock.calls.length, pauses]).toEqual([2, []])
  })

  test('that is refused again is an error', async () => {
    const { sent, baseUrl } = await serving(refused)
    expect((await failure(clientOf(baseUrl).GET(aUser, ann))).error_code).toBe('UNAUTHENTICATED')
    expect(sent).toHaveLength(2)
  })

  test('is asked for again by the next call if its source fails', async () => {
    const { sent, baseUrl } = await serving(good)
    const token = vi.fn(() => ({ access_token: 'late' }))
    token.mockImplementationOnce(() => {
      throw new Error('no network')
    })
    const client = clientOf(baseUrl, { token })
    expect((await failure(client.GET(aUser, ann))).message).toBe('no network')
    await client.GET(aUser, ann)
    expect(sent.map(({ token }) => token)).toEqual(['late'])
  })
})

describe('a token of client credentials', () => {
  const withCredentials = (baseUrl: string, tokenEndpoint: string) =>
    clientOf(baseUrl, { token: clientCredentials({ tokenEndpoint, clientId: 'me', clientSecret: 'my' }) })
  const issued: Reply = { status: 200, body: { access_token: 'issued', expires_in: 3600 } }

  test.each<[string, Reply]>([
    ['does not answer', 'CUT'],
    ['is busy', { status: 503 }],
  ])('is asked for again if the endpoint %s', async (_what, reply) => {
    const endpoint = await serving(reply, issued)
    const { sent, baseUrl } = await serving(good)
    // A call that is not repeated if its answer is lost: it has not been sent yet.
    await withCredentials(baseUrl, endpoint.baseUrl).POST(`${users}/restore/batch`, {
      body: { items: [{ id: 'ann' }] },
    })
    expect([endpoint.sent.length, sent.map(({ token }) => token)]).toEqual([2, ['issued']])
  })

  test('is not asked for again if the endpoint refuses it', async () => {
    const endpoint = await serving({ status: 401, body: { error: 'invalid_client' } })
    const error = await failure(withCredentials('http://127.0.0.1:1', endpoint.baseUrl).GET(aUser, ann))
    expect([error.status, error.done, endpoint.sent.length]).toEqual([401, false, 1])
    expect(error.message).toContain('invalid_client')
  })
})

describe('a batch', () => {
  const done = (id: string) => ({ id, status: 200, body: { id } })
  const busyItem = (id: string, done: boolean | 'unknown' = false) => ({
    id,
    status: 429,
    error: { error_code: 'TOO_MANY_REQUESTS', done },
  })
  const missing = (id: string) => ({ id, status: 404, error: { error_code: 'USER_NOT_FOUND' } })
  const answer = (...items: object[]): Reply => ({ status: 200, body: { items } })
  const patch = (baseUrl: string, ids: readonly string[], options?: Partial<ClientOptions>) =>
    clientOf(baseUrl, options).PATCH(`${users}/batch`, {
      body: { items: ids.map((id) => ({ id, body: { first_name: 'C' } })) },
    })
  const idsOf = ({ body }: Sent) => JSON.parse(body).items.map(({ id }: { id: string }) => id)

  test('sends busy items again, until each is decided', async () => {
    const { sent, baseUrl } = await serving(
      answer(done('a'), busyItem('b'), missing('c'), busyItem('d')),
      answer(busyItem('b'), done('d')),
      answer(done('b')),
    )
    const { data } = await patch(baseUrl, ['a', 'b', 'c', 'd'])
    expect(data.items).toEqual([done('a'), done('b'), missing('c'), done('d')])
    expect(sent.map(idsOf)).toEqual([['a', 'b', 'c', 'd'], ['b', 'd'], ['b']])
  })

  test('does not repeat items whose record is named twice, or whose outcome is unknown', async () => {
    const items = [busyItem('a'), done('a'), busyItem('b', 'unknown')]
    const { sent, baseUrl } = await serving(answer(...items))
    expect((await patch(baseUrl, ['a', 'a', 'b'])).data.items).toEqual(items)
    expect(sent).toHaveLength(1)
  })

  test('is sent as often as the client says', async () => {
    const { sent, baseUrl } = await serving(answer(busyItem('a')))
    expect((await patch(baseUrl, ['a'], { attempts: 3 })).data.items).toEqual([busyItem('a')])
    expect(sent).toHaveLength(3)
  })

  test('keeps its results if what was sent again fails', async () => {
    const { baseUrl } = await serving(answer(done('a'), busyItem('b')), 'CUT')
    const { data } = await patch(baseUrl, ['a', 'b'], { attempts: 2 })
    expect(data.items).toEqual([done('a'), busyItem('b', 'unknown')])
  })

  test('says which refusals may be due to our own success', async () => {
    const { baseUrl } = await serving('CUT', answer(done('a'), missing('b')))
    const { data } = await patch(baseUrl, ['a', 'b'])
    expect(data.items).toEqual([done('a'), { ...missing('b'), error: { ...missing('b').error, done: 'unknown' } }])
  })
})

describe('pages', () => {
  const page = (ids: string[], next_cursor: string | null): Reply => ({
    status: 200,
    body: { users: ids.map((id) => ({ id })), pagination: { next_cursor } },
  })

  test('follow the cursor with the same sort and filters, and are repeated like other calls', async () => {
    const { sent, baseUrl } = await serving(page(['a', 'b'], 'c1'), 'CUT', page(['c'], 'c2'), page([], null))
    const found: string[] = []
    const query = { page_number: 1, page_limit: 2, sort: ['USERNAME_ASC' as const] }
    for await (const { users: some } of clientOf(baseUrl).pages(users, { params: { query } }))
      found.push(...some.map(({ id }) => id))
    expect(found).toEqual(['a', 'b', 'c'])
    const rest = 'page_limit=2&sort=USERNAME_ASC'
    expect(sent.map(({ path }) => path.split('?')[1])).toEqual([
      `page_number=1&${rest}`,
      ...[`${rest}&page_cursor=c1`, `${rest}&page_cursor=c1`, `${rest}&page_cursor=c2`],
    ])
  })

  test('end with an error where a page cannot be read', async () => {
    const { baseUrl } = await serving(page(['a'], 'c1'), problem(400, 'VALIDATION_ERROR'))
    const walk = clientOf(baseUrl).pages(users)
    expect((await walk.next()).done).toBe(false)
    expect((await failure(walk.next())).error_code).toBe('VALIDATION_ERROR')
  })
})
