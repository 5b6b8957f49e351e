import { systemCause } from '../../domain/table/store.ts'
import { itemOf } from '../../domain/webhooks/delivery.ts'
import { keyServiceOf, LOCAL_KEY } from '../../domain/webhooks/keyService.ts'
import { newSecret } from '../../domain/webhooks/signature.ts'
import { countWebhook, type Webhook, webhooks } from '../../domain/webhooks/webhook.ts'
import { call } from '../harness/call.ts'
import type { Service } from '../harness/service.ts'
import { type Line, linesOf } from './line.ts'

const path = { webhook_id: 'hook-1' }
const url = 'https://1.1.1.1/'
const delivery = '20270201T090000000Z-one'

/** Three enabled webhooks with known ids, one of which has a delivery that failed. */
async function threeWebhooks({ store, now, setNow }: Service): Promise<void> {
  setNow('2027-02-02T09:00:00.000Z')
  const at = now().toISOString()
  for (const id of ['hook-1', 'hook-2', 'hook-3']) {
    const sealed = await keyServiceOf({ WEBHOOK_KEY: LOCAL_KEY }).encrypt(newSecret(), id)
    const webhook: Webhook = {
      ...{
        id,
        url,
        types: null,
        description: null,
        enabled: true,
        created_by: 'admin',
        created_at: at,
        updated_at: at,
      },
      ...{ rotated_at: null, secrets: [{ sealed, until: null }], generation: 1 },
    }
    await store.by(systemCause('test')).write([webhooks.create(webhook), ...countWebhook(undefined, webhook)])
  }
  const failed = {
    type: 'role.created',
    record: 'role~x',
    generation: 1,
    attempts: [],
    failures: 9,
    next_attempt_at: null,
  }
  const placed = { id: delivery, delivery: { ...failed, key: { pk: 'EVENTS#role#x', sk: 'x' } } }
  await store.bulk([{ put: itemOf('hook-1', 'FAILED', placed, at) }])
}

/** Five seconds later, calls know that webhooks are enabled: the first one reads it. */
async function known({ setNow, now }: Service): Promise<void> {
  setNow(new Date(now().getTime() + 5000))
  await call('updateCalendarSettings', { body: { time_zone: 'Europe/Paris' } })
}

/** What webhooks cost. They come last, as they move the clock, and changes cost more while there are some. */
export const webhookLines: readonly Line[] = [
  ...linesOf('createWebhook', [
    { scenario: 'disabled', request: { body: { url, enabled: false } }, status: 201, costs: [2, 2, 2, 10] },
  ]),
  ...linesOf('listWebhooks', [{ scenario: 'three', before: threeWebhooks, costs: [3, 2, 9, 0] }]),
  ...linesOf('getWebhook', [{ scenario: 'a webhook', request: { path }, costs: [1, 1, 4, 0] }]),
  ...linesOf('updateCalendarSettings', [
    {
      scenario: 'with three webhooks',
      before: known,
      request: { body: { time_zone: 'Europe/Rome' } },
      costs: [2, 2, 3, 8],
    },
  ]),
  ...linesOf('updateWebhook', [
    { scenario: 'types', request: { path, body: { types: ['user.*'] } }, costs: [2, 2, 4, 10] },
    { scenario: 'nothing', request: { path, body: {} }, costs: [1, 1, 4, 0] },
  ]),
  ...linesOf('rotateWebhook', [{ scenario: 'a secret', request: { path }, costs: [2, 2, 4, 8] }]),
  ...linesOf('testWebhook', [{ scenario: 'a test', request: { path }, status: 202, costs: [2, 2, 3, 6] }]),
  ...linesOf('listDeliveries', [{ scenario: 'first page', request: { path }, costs: [5, 2, 7, 0] }]),
  ...linesOf('redeliver', [
    {
      scenario: 'one that has failed',
      request: { path: { ...path, delivery_id: delivery } },
      status: 202,
      costs: [2, 2, 7, 8],
    },
  ]),
  ...linesOf('replayEvents', [
    {
      scenario: 'of a day',
      request: { path, body: { from: '2027-02-01T00:00:00Z' } },
      status: 202,
      costs: [2, 2, 3, 6],
    },
  ]),
  ...linesOf('deleteWebhook', [{ scenario: 'a webhook', request: { path }, status: 204, costs: [2, 2, 3, 14] }]),
]
