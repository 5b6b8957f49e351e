import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { momentAfter } from '../../domain/base/text.ts'
import { itemOf } from '../../domain/webhooks/delivery.ts'
import { externals } from '../../domain/webhooks/externals.ts'
import { audit, dump } from '../harness/audit.ts'
import { call } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { type Service, startService } from '../harness/service.ts'
import {
  createWebhook,
  deliveriesOf,
  onThisMachine,
  removeWebhooks,
  runDeliver,
  startReceiver,
  verified,
} from './receiver.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ indexes: ['by_created_at'] })
  onThisMachine()
})

let now = Date.parse('2026-11-21T10:00:00.000Z')
/** Moves the clock on. */
const pass = (seconds: number): void => {
  now += seconds * 1000
  service.setNow(new Date(now))
}
/** From now on changes know which webhooks are enabled. */
const settle = () => pass(5)
beforeEach(() => pass(60))
afterEach(removeWebhooks)

let nth = 0
const newUser = async (): Promise<string> => {
  const id = `new-${++nth}`
  const person = { first_name: 'Zoë', last_name: 'Łukasz', username: id, role: 'USER', status: 'ACTIVE' }
  expect((await call('createUser', { body: { id, ...person } })).status).toBe(201)
  return id
}
const rename = (user_id: string, last_name: string) => call('updateUser', { path: { user_id }, body: { last_name } })

describe('an event', () => {
  it('is delivered to each webhook that wants it, signed, as GET events answers it', async () => {
    const [one, other] = [await startReceiver(), await startReceiver()]
    const users = await createWebhook({ url: one.url, types: ['user.*'] })
    const roles = await createWebhook({ url: other.url, types: ['role.created', 'user.locked'] })
    settle()
    const user_id = await newUser()
    await call('lockUser', { path: { user_id } })
    expect(await runDeliver()).toMatchObject({ delivered: 3, failed: 0, isLeft: false })
    const { body } = await call('listUserEvents', { path: { user_id }, query: { sort: 'TIME_ASC' } })
    const expected = body.events.map((data: { type: string; time: string }) => ({
      type: data.type,
      timestamp: data.time,
      data,
    }))
    expect(one.received.map((message) => verified(message, users.secret))).toEqual(expected)
    expect(one.received.map(({ headers }) => headers['webhook-id'])).toEqual(
      body.events.map(({ id }: { id: string }) => id),
    )
    expect(other.received.map((message) => verified(message, roles.secret))).toEqual(expected.slice(1))
    expect(await deliveriesOf(users.id)).toMatchObject([
      { type: 'user.locked', state: 'DELIVERED', attempts: [{ status: 200, fault: null }], next_attempt_at: null },
      { type: 'user.created', state: 'DELIVERED' },
    ])
    expect(await runDeliver()).toMatchObject({ delivered: 0 })
    await removeWebhooks()
    const left = (await dump(service)).filter(({ pk }) => pk.startsWith('OUTBOX') || pk.startsWith('WEBHOOK'))
    expect(left.map(({ sk }) => sk)).toEqual(['COUNTS'])
    await audit(service)
  })

  it('writes nothing to the outbox while no webhook is enabled', async () => {
    await createWebhook({ url: (await startReceiver()).url, enabled: false })
    await runDeliver()
    settle()
    await newUser()
    expect((await dump(service)).filter(({ pk }) => pk.startsWith('OUTBOX'))).toEqual([])
  })

  it('is tried again with pauses, and before a later one of the same record only once', async () => {
    let answer = 500
    const receiver = await startReceiver(() => ({ status: answer }))
    const { id } = await createWebhook({ url: receiver.url, types: ['user.*'] })
    settle()
    const user = await newUser()
    await rename(user, 'Second')
    expect(await runDeliver()).toMatchObject({ delivered: 0, failed: 2 })
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['user.created', 'user.updated'])
    expect(await deliveriesOf(id, { state: 'WAITING' })).toMatchObject([
      { state: 'WAITING', attempts: [{ status: 500, fault: 'answered 500' }] },
      { state: 'WAITING' },
    ])
    expect(await runDeliver()).toMatchObject({ failed: 0 })
    pass(7)
    answer = 204
    expect(await runDeliver()).toMatchObject({ delivered: 2 })
    expect(await deliveriesOf(id, { state: 'WAITING' })).toEqual([])
    const [last] = await deliveriesOf(id, { state: 'DELIVERED' })
    expect(last.attempts.map(({ status }: { status: number }) => status)).toEqual([500, 204])
  })

  it('is tried again in time while other webhooks have a backlog', async () => {
    const again = Promise.withResolvers<void>()
    let attempts = 0
    const down = await startReceiver(() => {
      if (++attempts === 1) return { status: 500 }
      again.resolve()
      return { status: 200 }
    })
    const { id } = await createWebhook({ url: down.url, types: ['user.*'] })
    const hasFailed = async () => {
      const [delivery] = await deliveriesOf(id)
      expect(delivery?.attempts).toHaveLength(1)
    }
    let busy = 0
    const slow = async () => {
      // The backlog lasts until the other receiver has been tried again: later than its wait of five seconds.
      if (++busy === 3) {
        // The wait begins when the failure is stored.
        await vi.waitFor(hasFailed, { timeout: 30_000 })
        pass(7)
        await again.promise
      }
      return { status: 200 }
    }
    const others = [await startReceiver(slow), await startReceiver()]
    for (const { url } of others) await createWebhook({ url, types: ['role.*'] })
    settle()
    await newUser()
    const title = [{ language: 'en-GB', text: 'Role' }]
    for (let n = 0; n < 5; n++) await call('createRole', { body: { title, scope: 'CHANNELS' } })
    expect(await runDeliver()).toMatchObject({ delivered: 11, failed: 1 })
    expect(down.received).toHaveLength(2)
  })

  it('has failed when the webhook no longer takes its type, also one that is sent again', async () => {
    let answer = 500
    const receiver = await startReceiver(() => ({ status: answer }))
    const { id } = await createWebhook({ url: receiver.url, types: ['user.*', 'role.*'] })
    settle()
    const user = await newUser()
    const title = [{ language: 'en-GB', text: 'Role' }]
    await call('createRole', { body: { title, scope: 'CHANNELS' } })
    await runDeliver()
    expect((await deliveriesOf(id)).map(({ state }) => state)).toEqual(['WAITING', 'WAITING'])
    await call('updateWebhook', { path: { webhook_id: id }, body: { types: ['role.*'] } })
    const states = async () =>
      Object.fromEntries(
        (await deliveriesOf(id)).map(({ type, state }: { type: string; state: string }) => [type, state]),
      )
    const wanted = { 'user.created': 'FAILED', 'role.created': 'WAITING' }
    expect(await states()).toEqual(wanted)
    const [failed] = await deliveriesOf(id, { state: 'FAILED' })
    const again = await call('redeliver', { path: { webhook_id: id, delivery_id: failed.id } })
    expect([again.status, again.body.state]).toEqual([202, 'FAILED'])
    answer = 204
    receiver.received.length = 0
    await rename(user, 'Other')
    pass(7)
    await runDeliver()
    await runDeliver()
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['role.created'])
    expect(await states()).toEqual({ ...wanted, 'role.created': 'DELIVERED' })
    await audit(service)
  })

  it('is tried once, however many wait, and while others come', async () => {
    // Some take longer, so that the list is read while they are under way.
    let nth = 0
    const receiver = await startReceiver(async () => {
      if (nth++ % 4 === 0) await new Promise((tick) => setTimeout(tick, 40))
      return { status: 200 }
    })
    const { id } = await createWebhook({ url: receiver.url, types: ['user.created'] })
    const test = { key: null, type: 'webhook.test', generation: 1, attempts: [], failures: 0, next_attempt_at: null }
    const tests = Array.from({ length: 250 }, (_, n) => {
      const one = `20261121T100000000Z-${String(n).padStart(3, '0')}`
      return itemOf(id, 'NEW', { id: one, delivery: { ...test, record: `webhook.test~${one}` } }, '')
    })
    await service.store.bulk(tests.map((put) => ({ put })))
    expect(await runDeliver()).toMatchObject({ delivered: tests.length })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(tests.length)
  })

  it('has failed after nine attempts, and can be opened again', async () => {
    let answer = 500
    const receiver = await startReceiver(({ body }) => ({ status: body.type === 'user.created' ? answer : 200 }))
    const { id, secret } = await createWebhook({ url: receiver.url, types: ['user.*', 'webhook.*'] })
    settle()
    await newUser()
    for (let attempt = 1; attempt <= 9; attempt++) {
      expect(await runDeliver(), `attempt ${attempt}`).toMatchObject({ failed: 1 })
      // A success in between: the webhook is not FAILING.
      await call('testWebhook', { path: { webhook_id: id } })
      expect(await runDeliver()).toMatchObject({ delivered: 1 })
      pass(12 * 3600 + 1)
    }
    const [failed] = await deliveriesOf(id, { state: 'FAILED' })
    expect(failed).toMatchObject({ type: 'user.created', state: 'FAILED', next_attempt_at: null })
    expect(failed.attempts).toHaveLength(9)
    answer = 200
    const path = { webhook_id: id, delivery_id: failed.id }
    expect(await call('redeliver', { path })).toMatchObject({ status: 202, body: { id: failed.id, state: 'WAITING' } })
    expect(await runDeliver()).toMatchObject({ delivered: 1 })
    const { body } = await call('listDeliveries', { path: { webhook_id: id } })
    expect(body.deliveries.filter((one: { id: string }) => one.id === failed.id)).toMatchObject([
      { state: 'DELIVERED', event_id: receiver.received.at(-1)?.headers['webhook-id'] },
    ])
    expect(await deliveriesOf(id, { state: 'FAILED' })).toEqual([])
    // Receivers know a repetition by its id, and may compare its bytes.
    const sent = receiver.received.filter(({ body }) => body.type === 'user.created')
    expect(sent).toHaveLength(10)
    expect(new Set(sent.map(({ text }) => text))).toEqual(new Set([sent[0]?.text]))
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    for (const one of sent) expect(verified(one, secret)).toEqual(one.body)
  })

  it('shows no values of a user past their deadline', async () => {
    const receiver = await startReceiver(() => ({ status: 500 }))
    await createWebhook({ url: receiver.url, types: ['user.*'] })
    settle()
    const user_id = await newUser()
    await call('deleteUser', { path: { user_id } })
    await runDeliver()
    expect(receiver.received[0]?.text).toContain('Łukasz')
    pass(15 * 24 * 3600)
    receiver.received.length = 0
    await runDeliver()
    expect(receiver.received).toHaveLength(2)
    for (const { body, text } of receiver.received) {
      expect(body.data.changes).toEqual([])
      expect(text).not.toContain('Łukasz')
    }
    const stored = JSON.stringify((await dump(service)).filter(({ pk }) => pk.startsWith('WEBHOOK')))
    expect(stored).not.toContain('Łukasz')
  })
})

describe('a webhook that fails', () => {
  it('is tried with one delivery at a time, and comes back with all of them', async () => {
    let isDown = true
    let [underWay, most] = [0, 0]
    const receiver = await startReceiver(async () => {
      most = Math.max(most, ++underWay)
      await new Promise((tick) => setTimeout(tick, 5))
      underWay--
      return { status: isDown ? 503 : 200 }
    })
    const { id } = await createWebhook({ url: receiver.url, types: ['user.created'] })
    settle()
    for (let n = 0; n < 30; n++) await newUser()
    // The fifth failure makes it FAILING. Until then ten at most are under way, and four have ended.
    const first = await runDeliver()
    expect(first).toMatchObject({ delivered: 0, failing: 1 })
    expect(first.failed).toBeGreaterThanOrEqual(5)
    expect(first.failed).toBeLessThanOrEqual(14)
    expect(most).toBeLessThanOrEqual(10)
    expect((await call('getWebhook', { path: { webhook_id: id } })).body).toMatchObject({
      state: 'FAILING',
      failing_since: service.now().toISOString(),
    })
    const tried = () => receiver.received.length
    for (let probe = 0, before = tried(); probe < 5; probe++, before = tried()) {
      pass(300)
      await runDeliver()
      expect(tried() - before).toBe(1)
    }
    const waiting = await deliveriesOf(id, { state: 'WAITING', page_limit: '100' })
    expect(waiting).toHaveLength(30)
    most = 0
    isDown = false
    pass(300)
    expect(await runDeliver()).toMatchObject({ delivered: 30, failing: 0 })
    expect(most).toBeLessThanOrEqual(10)
    expect((await call('getWebhook', { path: { webhook_id: id } })).body).toMatchObject({
      state: 'OK',
      failing_since: null,
    })
  })

  it('is disabled by a 410, and after five days of failures', async () => {
    const gone = await startReceiver(() => ({ status: 410 }))
    const down = await startReceiver(() => ({ status: 500 }))
    const one = await createWebhook({ url: gone.url, types: ['user.created'] })
    const other = await createWebhook({ url: down.url, types: ['user.created'] })
    const watching = await startReceiver()
    await createWebhook({ url: watching.url, types: ['webhook.disabled'] })
    settle()
    for (let n = 0; n < 6; n++) await newUser()
    await runDeliver()
    const stateOf = async (webhook_id: string) => (await call('getWebhook', { path: { webhook_id } })).body.state
    expect(await stateOf(one.id)).toBe('DISABLED')
    expect(await stateOf(other.id)).toBe('FAILING')
    pass(5 * 24 * 3600 + 60)
    expect(await runDeliver()).toMatchObject({ disabled: 1 })
    expect(await stateOf(other.id)).toBe('DISABLED')
    await runDeliver()
    expect(watching.received.map(({ body }) => [body.data.record.id, body.data.actor])).toEqual(
      [one.id, other.id].map((id) => [id, { id: null, kind: 'SYSTEM', request_id: null, operation: 'deliver' }]),
    )
    for (const { id } of [one, other]) {
      expect(await deliveriesOf(id, { state: 'WAITING' })).toEqual([])
      expect(await deliveriesOf(id, { state: 'FAILED' })).toHaveLength(6)
    }
  })

  it('is not charged with what KMS or the table does: deliveries wait, and a metric says so', async () => {
    const receiver = await startReceiver()
    const { id } = await createWebhook({ url: receiver.url, types: ['user.created'] })
    settle()
    await newUser()
    const { keyService } = externals
    const refuse = async () => {
      throw new Error('KMS refuses to Decrypt: it answers 400')
    }
    externals.keyService = () => ({ ...keyService(), unseal: refuse })
    service.measured()
    service.logged()
    const run = await runDeliver().finally(() => Object.assign(externals, { keyService }))
    expect(run).toMatchObject({ delivered: 0, failed: 0, stuck: 1, failing: 0 })
    expect(service.measured()).toMatchObject([{ DeliveriesStuck: 1 }])
    // The courier that was at work when the delivery was made may have failed, too.
    const lines = service.logged()
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.at(-1)).toMatchObject({ level: 'error', stuck: 1 })
    for (const line of lines.slice(0, -1)) expect(line).toMatchObject({ level: 'error', webhook: id, fault: 'Error' })
    expect(await deliveriesOf(id)).toMatchObject([{ state: 'WAITING', attempts: [] }])
    service.measured()
    expect(await runDeliver()).toMatchObject({ delivered: 1, stuck: 0 })
    expect(service.measured()).not.toMatchObject([{ DeliveriesStuck: 1 }])
  })

  it('waits as long as it says', async () => {
    const receiver = await startReceiver(() => ({ status: 429, headers: { 'retry-after': '600' } }))
    await createWebhook({ url: receiver.url, types: ['user.created'] })
    settle()
    await newUser()
    await runDeliver()
    await newUser()
    pass(590)
    expect(await runDeliver()).toMatchObject({ failed: 0 })
    pass(10)
    receiver.answer = () => ({ status: 200 })
    expect(await runDeliver()).toMatchObject({ delivered: 2 })
  })
})

describe('a webhook', () => {
  it('gets nothing once it is disabled, and nothing of that time when it is enabled again', async () => {
    const receiver = await startReceiver()
    const { id } = await createWebhook({ url: receiver.url, types: ['user.*'] })
    const path = { webhook_id: id }
    settle()
    await newUser()
    receiver.answer = () => ({ status: 500 })
    expect(await runDeliver()).toMatchObject({ failed: 1 })
    expect((await call('updateWebhook', { path, body: { enabled: false } })).body.state).toBe('DISABLED')
    // From its answer on, what waited has failed; the function moves it later.
    for (const query of [{}, { state: 'FAILED' }])
      expect(await deliveriesOf(id, query)).toMatchObject([{ state: 'FAILED', next_attempt_at: null }])
    // However many are still in the lists of what waits, they are not read to find none that waits.
    const queriesFor = async (state: string) => {
      const { calls, heal } = strike(service.client, () => undefined)
      await deliveriesOf(id, { state }).finally(heal)
      return calls.names.filter((name) => name.startsWith('Query')).length
    }
    expect(await queriesFor('WAITING')).toBe(0)
    expect(await queriesFor('FAILED')).toBe(3)
    expect(await deliveriesOf(id, { state: 'WAITING' })).toEqual([])
    await newUser()
    receiver.answer = () => ({ status: 200 })
    await runDeliver()
    expect(receiver.received).toHaveLength(1)
    expect(await deliveriesOf(id)).toMatchObject([{ state: 'FAILED' }])
    for (const name of ['testWebhook', 'replayEvents'])
      expect((await call(name, { path, body: { from: '2026-11-21T00:00:00Z' } })).body.error_code).toBe(
        'WEBHOOK_DISABLED',
      )
    await call('updateWebhook', { path, body: { enabled: true } })
    settle()
    const user = await newUser()
    expect(await runDeliver()).toMatchObject({ delivered: 1 })
    expect(receiver.received[1]?.body.data.record.id).toBe(user)
  })

  it('lists what waited when it was disabled as failed, also if it is enabled at once', async () => {
    const receiver = await startReceiver(() => ({ status: 500 }))
    const { id } = await createWebhook({ url: receiver.url, types: ['user.created'] })
    const path = { webhook_id: id }
    settle()
    await newUser()
    expect(await runDeliver()).toMatchObject({ failed: 1 })
    pass(1)
    await call('testWebhook', { path })
    const enable = async (enabled: boolean) =>
      expect((await call('updateWebhook', { path, body: { enabled } })).status).toBe(200)
    /** The states of all deliveries, which lists by state must have, too. */
    const statesOf = async () => {
      const shown = await deliveriesOf(id)
      for (const state of ['WAITING', 'DELIVERED', 'FAILED'])
        expect(await deliveriesOf(id, { state })).toEqual(shown.filter((one) => one.state === state))
      return shown.map(({ type, state }) => `${type} ${state}`)
    }
    expect(await statesOf()).toEqual(['webhook.test WAITING', 'user.created WAITING'])
    await enable(false)
    expect(await statesOf()).toEqual(['webhook.test FAILED', 'user.created FAILED'])
    await enable(true)
    expect(await statesOf()).toEqual(['webhook.test FAILED', 'user.created FAILED'])
    pass(1)
    await call('testWebhook', { path })
    const mixed = ['webhook.test WAITING', 'webhook.test FAILED', 'user.created FAILED']
    expect(await statesOf()).toEqual(mixed)
    const [, again] = await deliveriesOf(id)
    expect((await call('redeliver', { path: { ...path, delivery_id: again.id } })).body.state).toBe('WAITING')
    expect(await statesOf()).toEqual(['webhook.test WAITING', 'webhook.test WAITING', 'user.created FAILED'])
    receiver.answer = () => ({ status: 200 })
    expect(await runDeliver()).toMatchObject({ delivered: 2, failed: 0 })
    expect(await statesOf()).toEqual(['webhook.test DELIVERED', 'webhook.test DELIVERED', 'user.created FAILED'])
    const left = (await dump(service)).filter(({ pk, sk }) => pk === `WEBHOOK#${id}` && /^(NEW|AGAIN|DUE)#/.test(sk))
    expect(left).toEqual([])
  })

  it('that is FAILING and gets another URL is tried at once, and the one before counts no more', async () => {
    const wrong = await startReceiver(() => ({ status: 500 }))
    const right = await startReceiver()
    const { id } = await createWebhook({ url: wrong.url, types: ['user.created'] })
    const path = { webhook_id: id }
    settle()
    for (let n = 0; n < 20; n++) await newUser()
    expect(await runDeliver()).toMatchObject({ failing: 1 })
    expect((await call('updateWebhook', { path, body: { description: 'Wrong' } })).body.state).toBe('FAILING')
    const tried = (await deliveriesOf(id)).filter(({ attempts }) => attempts.length > 0).length
    const { body } = await call('updateWebhook', { path, body: { url: right.url } })
    expect(body).toMatchObject({ state: 'OK', failing_since: null })
    expect(await call('getWebhook', { path })).toMatchObject({ body })
    expect(await runDeliver()).toMatchObject({ delivered: 20 - tried, failing: 0 })
  })

  it('that gets the URL of a receiver that had failed is not FAILING either', async () => {
    const failing = await startReceiver(() => ({ status: 500 }))
    const { url } = await startReceiver()
    const { id } = await createWebhook({ url: failing.url, types: ['user.created'] })
    const path = { webhook_id: id }
    settle()
    for (let n = 0; n < 5; n++) await newUser()
    expect(await runDeliver()).toMatchObject({ failed: 5, failing: 1 })
    await call('updateWebhook', { path, body: { url } })
    const { body } = await call('updateWebhook', { path, body: { url: failing.url } })
    expect(body).toMatchObject({ state: 'OK', failing_since: null })
    expect(await call('getWebhook', { path })).toMatchObject({ body })
    // Long after it has begun to fail, one more failure does not disable it.
    pass(6 * 24 * 3600)
    await newUser()
    expect(await runDeliver()).toMatchObject({ disabled: 0, failing: 1 })
  })

  it('that gets another URL while an attempt is under way is not judged by its answer', async () => {
    const right = await startReceiver()
    const wrong = await startReceiver(async () => {
      expect((await call('updateWebhook', { path, body: { url: right.url } })).status).toBe(200)
      return { status: 410, headers: { 'retry-after': '600' } }
    })
    const { id } = await createWebhook({ url: wrong.url, types: ['user.created'] })
    const path = { webhook_id: id }
    settle()
    await newUser()
    expect(await runDeliver()).toMatchObject({ failed: 1, disabled: 0, failing: 0 })
    expect((await call('getWebhook', { path })).body).toMatchObject({ enabled: true, state: 'OK' })
    await newUser()
    expect(await runDeliver()).toMatchObject({ delivered: 1 })
  })

  it('delivers the events of a time once more, oldest first, while new ones go on', async () => {
    const receiver = await startReceiver()
    const from = service.now().toISOString()
    const people: string[] = []
    for (let n = 0; n < 5; n++) {
      people.push(await newUser())
      pass(24 * 3600)
    }
    const { id } = await createWebhook({ url: receiver.url, types: ['user.created'] })
    const path = { webhook_id: id }
    const body = { from, to: momentAfter(from, 4 * 24 * 3_600_000) }
    expect(await call('replayEvents', { path, body })).toMatchObject({ status: 202, body })
    expect((await call('replayEvents', { path, body })).body.error_code).toBe('REPLAY_RUNNING')
    expect(await runDeliver()).toMatchObject({ delivered: 4 })
    expect(receiver.received.map(({ body }) => body.data.record.id).sort()).toEqual(people.slice(0, 4).sort())
    expect(await call('replayEvents', { path, body })).toMatchObject({ status: 202 })
    await runDeliver()
    expect(receiver.received).toHaveLength(8)
    expect(await deliveriesOf(id)).toHaveLength(4)
    // What is replayed waits again, also if it had arrived.
    receiver.answer = () => ({ status: 500 })
    expect(await call('replayEvents', { path, body })).toMatchObject({ status: 202 })
    await runDeliver()
    expect(await deliveriesOf(id, { state: 'DELIVERED' })).toEqual([])
    expect(await deliveriesOf(id, { state: 'WAITING' })).toHaveLength(4)
    receiver.answer = () => ({ status: 200 })
    expect(await call('replayEvents', { path, body })).toMatchObject({ status: 202 })
    expect(await runDeliver()).toMatchObject({ delivered: 4 })
    expect(await deliveriesOf(id, { state: 'WAITING' })).toEqual([])
    expect(await deliveriesOf(id, { state: 'DELIVERED' })).toHaveLength(4)
  })

  it('that is disabled and enabled can begin a new replay at once', async () => {
    const from = service.now().toISOString()
    await newUser()
    pass(60)
    const receiver = await startReceiver()
    const { id } = await createWebhook({ url: receiver.url, types: ['user.created'] })
    const path = { webhook_id: id }
    const empty = { from: momentAfter(from, 30_000), to: momentAfter(from, 31_000) }
    expect((await call('replayEvents', { path, body: empty })).status).toBe(202)
    for (const enabled of [false, true]) await call('updateWebhook', { path, body: { enabled } })
    expect((await call('replayEvents', { path, body: { from } })).status).toBe(202)
    expect((await call('replayEvents', { path, body: { from } })).body.error_code).toBe('REPLAY_RUNNING')
    expect(await runDeliver()).toMatchObject({ delivered: 1 })
  })

  it('signs with both secrets for a day after the first is replaced', async () => {
    const receiver = await startReceiver()
    const { id, secret } = await createWebhook({ url: receiver.url, types: ['user.created'] })
    const path = { webhook_id: id }
    const { body } = await call('rotateWebhook', { path })
    expect(body.secret).not.toBe(secret)
    const test = async () => {
      await call('testWebhook', { path })
      await runDeliver()
      return receiver.received.at(-1) as never
    }
    const during = await test()
    expect(verified(during, secret)).toMatchObject({ type: 'webhook.test', data: { webhook_id: id } })
    expect(verified(during, body.secret)).toBeTruthy()
    pass(24 * 3600)
    const after = await test()
    expect(verified(after, body.secret)).toBeTruthy()
    expect(() => verified(after, secret)).toThrow()
  })
})
