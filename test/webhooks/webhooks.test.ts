import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { externals } from '../../domain/webhooks/externals.ts'
import { reachOf } from '../../domain/webhooks/reach.ts'
import { audit, dump } from '../harness/audit.ts'
import { call } from '../harness/call.ts'
import { dieAfterWrite } from '../harness/faults.ts'
import { type Service, startService } from '../harness/service.ts'
import { giveToken } from '../harness/serviceTokens.ts'
import { createWebhook, onThisMachine, removeWebhooks, runDeliver, startReceiver } from './receiver.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ indexes: ['by_created_at'] })
  externals.reach = () => ({ ...reachOf({}), lookUp: async () => [{ address: '1.1.1.1', family: 4 }] })
})
afterEach(removeWebhooks)

const url = 'https://hooks.example/'
const get = (webhook_id: string) => call('getWebhook', { path: { webhook_id } })
const patch = (webhook_id: string, body: object) => call('updateWebhook', { path: { webhook_id }, body })
const remove = (webhook_id: string) => call('deleteWebhook', { path: { webhook_id } })
const list = async () => (await call('listWebhooks')).body.webhooks

describe('a webhook', () => {
  it('is created with its defaults, and a secret that no other answer has', async () => {
    const { secret, ...record } = await createWebhook({ url })
    expect(secret).toMatch(/^whsec_/)
    expect(record).toEqual({
      ...{ id: record.id, url, types: null, description: null, enabled: true, created_by: 'admin' },
      ...{ created_at: service.now().toISOString(), updated_at: service.now().toISOString() },
      ...{ state: 'OK', failing_since: null },
    })
    expect((await get(record.id)).body).toEqual(record)
    expect(await list()).toEqual([record])
    expect((await patch(record.id, { description: 'For the phone book' })).body).toMatchObject({
      description: 'For the phone book',
    })
    const path = { webhook_id: record.id }
    const rotated = (await call('rotateWebhook', { path })).body.secret
    const { body } = await call('listEvents', { query: { record_kind: 'webhook', record_id: record.id } })
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual([
      'webhook.rotated',
      'webhook.updated',
      'webhook.created',
    ])
    const stored = JSON.stringify([await dump(service), body, service.logged()])
    for (const text of [secret, rotated]) expect(stored).not.toContain(text.slice('whsec_'.length))
  })

  it.each([
    ['http://hooks.example/', 'INVALID_WEBHOOK_URL'],
    ['https://10.0.0.1/', 'INVALID_WEBHOOK_URL'],
    ['https://hooks.example/#x', 'INVALID_WEBHOOK_URL'],
    ['', 'VALIDATION_ERROR'],
    [`https://hooks.example/${'x'.repeat(2048)}`, 'VALIDATION_ERROR'],
  ])('cannot lead to %s', async (url, error_code) => {
    const { status, body } = await call('createWebhook', { body: { url } })
    expect([status, body.error_code, body.property]).toEqual([400, error_code, 'url'])
  })

  it.each([
    [['user.*', 'task.created', 'webhook.disabled'], 201],
    [['user.*', 'user.*'], 400],
    [['user'], 400],
    [['*'], 400],
    [['user.flown'], 400],
    [[], 400],
  ])('can ask for %j: %i', async (types, expected) => {
    const { status } = await call('createWebhook', { body: { url, types } })
    expect(status).toBe(expected)
  })

  it('names the service token that created it by its id alone', async () => {
    const token = await giveToken(service, ['WEBHOOKS', 'READ'])
    const { body } = await call('createWebhook', { body: { url }, token })
    expect(body.created_by).toBe(`service_token:${token.split('_')[1]}`)
  })

  it('is looked up for permitted callers only', async () => {
    let lookedUp = 0
    const { reach } = externals
    onTestFinished(() => void Object.assign(externals, { reach }))
    externals.reach = () => ({ ...reach(), lookUp: async () => [{ address: `1.1.1.${++lookedUp}`, family: 4 }] })
    expect((await call('createWebhook', { body: { url }, as: 'plain' })).status).toBe(403)
    expect(lookedUp).toBe(0)
  })

  it('changes, and is disabled and enabled', async () => {
    const { id } = await createWebhook({ url, types: ['user.*'] })
    expect((await patch(id, { url: 'https://10.0.0.1/' })).body.error_code).toBe('INVALID_WEBHOOK_URL')
    expect((await patch(id, { types: null, enabled: false })).body).toMatchObject({ types: null, state: 'DISABLED' })
    expect((await patch(id, { enabled: true })).body).toMatchObject({ enabled: true, state: 'OK' })
    expect((await patch(id, { state: 'FAILING', failing_since: '2026-01-01T00:00:00Z' })).body.state).toBe('OK')
    expect((await patch(id, { enabled: null })).status).toBe(400)
    const { body } = await call('listEvents', { query: { record_kind: 'webhook', record_id: id } })
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual([
      'webhook.updated',
      'webhook.disabled',
      'webhook.created',
    ])
    await remove(id)
    expect((await remove(id)).body.error_code).toBe('WEBHOOK_NOT_FOUND')
    expect((await get(id)).body.error_code).toBe('WEBHOOK_NOT_FOUND')
  })

  it('is one of at most 20, also when they are created at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, () => call('createWebhook', { body: { url } })))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ body }) => body.error_code)).toEqual(Array(4).fill('WEBHOOKS_LIMIT_EXCEEDED'))
    const all = await list()
    expect(all).toHaveLength(20)
    await Promise.all(all.map(({ id }: { id: string }) => remove(id)))
    expect(await list()).toEqual([])
    await audit(service)
  })

  it('has no deliveries but its own', async () => {
    const { id } = await createWebhook({ url })
    for (const delivery_id of ['none', '20261121T090000000Z-none'])
      expect((await call('redeliver', { path: { webhook_id: id, delivery_id } })).body.error_code).toBe(
        'DELIVERY_NOT_FOUND',
      )
  })
})

describe('a process that dies', () => {
  it('leaves nothing that the next run does not finish', async () => {
    onThisMachine()
    service.setNow('2026-11-22T09:00:00.000Z')
    const receiver = await startReceiver()
    await createWebhook({ url: receiver.url, types: ['role.*', 'webhook.*'] })
    await runDeliver()
    const title = [{ language: 'en-GB', text: 'Some title' }]
    for (let death = 1; death < 8; death++) {
      service.setNow(new Date(service.now().getTime() + 60_000))
      receiver.received.length = 0
      for (const nth of [1, 2])
        expect((await call('createRole', { body: { id: `r-${death}-${nth}`, title, scope: 'CHANNELS' } })).status).toBe(
          201,
        )
      const { heal, isOver } = dieAfterWrite(service.client, death)
      await runDeliver().catch(() => {})
      heal()
      if (isOver()) break
      service.setNow(new Date(service.now().getTime() + 60_000))
      await runDeliver()
      const seen = new Set(receiver.received.map(({ body }) => body.data.record?.id))
      expect([...seen].filter((one) => String(one).startsWith(`r-${death}-`)).sort()).toEqual([
        `r-${death}-1`,
        `r-${death}-2`,
      ])
      await audit(service)
    }
  })
})
