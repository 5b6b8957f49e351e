import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import timers from 'node:timers/promises'
import { vi } from 'vitest'
import { systemCause } from '../../domain/table/actions.ts'
import { newCourier } from '../../domain/webhooks/courier.ts'
import { deliver } from '../../domain/webhooks/deliver.ts'
import { itemOf } from '../../domain/webhooks/delivery.ts'
import { fanOut } from '../../domain/webhooks/fanOut.ts'
import { reachOf } from '../../domain/webhooks/reach.ts'
import { call } from '../harness/call.ts'
import type { Service } from '../harness/service.ts'
import { keyService, writeWebhook } from '../harness/webhooks.ts'
import { type Line, linesOf } from './line.ts'

const path = { webhook_id: 'hook-1' }
const delivery = '20270201T090000000Z-one'

/** The receiver of all webhooks, and how it answers. */
const receiver = createServer((_request, response) => response.writeHead(status).end())
let status = 200

/** Three enabled webhooks with known ids, one of which has a delivery that failed. */
async function threeWebhooks({ store, now, setNow }: Service): Promise<void> {
  await once(receiver.listen(0, '127.0.0.1').unref(), 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  setNow('2027-02-02T09:00:00.000Z')
  const at = now().toISOString()
  for (const id of ['hook-1', 'hook-2', 'hook-3']) await writeWebhook(store.causedBy(systemCause('test')), id, url, at)
  const failed = {
    type: 'user.created',
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

const later = async ({ setNow, now }: Service) => setNow(new Date(now().getTime() + 10_000))

/** What the function `deliver` has, and what its couriers have. */
const delivering = ({ store, now }: Service) => ({
  ...{ store, clock: now, keyService, reach: reachOf({ WEBHOOKS_TO_THIS_MACHINE: 'yes' }) },
  ...{ timeLeft: () => 60_000, newId: randomUUID, log: () => {} },
  ...{ mayTry: async () => true, done: { delivered: 0, failed: 0, disabled: 0 } },
})
/** No look at the outbox falls between requests, however long they take here: only looks have a timer that keeps no process alive. */
async function withoutLooks<T>(work: () => Promise<T>): Promise<T> {
  const { setTimeout } = timers
  const looks = vi.spyOn(timers, 'setTimeout')
  looks.mockImplementation((ms, value, options) =>
    options?.ref === false ? new Promise(() => {}) : setTimeout(ms, value as never, options),
  )
  syncBuiltinESMExports()
  return work().finally(() => {
    looks.mockRestore()
    syncBuiltinESMExports()
  })
}
const makeDeliveries = ({ store, now }: Service) => fanOut(store, now().toISOString(), async () => true)
/** The outbox has the entry of one change. */
async function oneChange(service: Service): Promise<void> {
  await makeDeliveries(service)
  await known(service)
}

/** The one attempt that waits for a webhook, answered like this. */
const attemptAt = (webhook: string, answer: number) => async (service: Service) => {
  status = answer
  await newCourier(delivering(service), webhook, { mustRead: true }).tryDeliveries()
}

/** What webhooks cost. They come last, as they move the clock, and changes cost more while there are some. */
export const webhookLines: readonly Line[] = [
  ...linesOf('createWebhook', [
    {
      scenario: 'disabled',
      request: { body: { url: 'https://1.1.1.1/', enabled: false } },
      status: 201,
      costs: [2, 2, 2, 10],
    },
  ]),
  ...linesOf('listWebhooks', [{ scenario: 'three', before: threeWebhooks, costs: [3, 2, 9, 0] }]),
  ...linesOf('getWebhook', [{ scenario: 'a webhook', request: { path }, costs: [1, 1, 4, 0] }]),
  // A delivery that succeeds at once takes three write units: one of the fan-out, which also clears the outbox, and two more.
  ...linesOf('deliver', [
    {
      scenario: 'fan-out of a change to three webhooks',
      before: oneChange,
      work: makeDeliveries,
      costs: [35, 5, 33, 4],
    },
    { scenario: 'an attempt that succeeds', work: attemptAt('hook-1', 200), costs: [5, 4, 8, 2] },
    { scenario: 'an attempt that fails', work: attemptAt('hook-2', 500), costs: [6, 4, 8, 10] },
    { scenario: 'an attempt that succeeds later', before: later, work: attemptAt('hook-2', 200), costs: [7, 6, 8, 7] },
    {
      scenario: 'nothing',
      before: attemptAt('hook-3', 200),
      work: (service) => withoutLooks(() => deliver(delivering(service))),
      costs: [33, 10, 44, 4],
    },
  ]),
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
