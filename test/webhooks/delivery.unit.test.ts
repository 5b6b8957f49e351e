import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textOfKey } from '../../domain/table/items.ts'
import { type DeliveryList, deliveryKey, dueKey, eventSortKey } from '../../domain/table/keys.ts'
import type { Item, Key } from '../../domain/table/store.ts'
import {
  deliveryIn,
  finishDelivery,
  itemOf,
  type ListedDelivery,
  moveToNew,
  newDelivery,
  readDelivery,
  stateOf,
  viewDelivery,
  waitActions,
  withAttempt,
} from '../../domain/webhooks/delivery.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import { runs } from '../harness/runs.ts'

const now = '2026-11-21T09:00:00.000Z'
const later = '2026-11-21T10:00:00.000Z'
const event = {
  key: { pk: 'EVENTS#role#r', sk: eventSortKey(now, 'e') },
  type: 'role.created',
  record: 'role~r',
  previous: 'p',
}
const made = newDelivery(event, { generation: 3 })
const listed = (list: DeliveryList, parts: Partial<ListedDelivery> = {}): ListedDelivery => ({
  ...made,
  id: 'd',
  list,
  ...parts,
})
const webhook = { enabled: true, generation: 3, types: null } as Webhook
const DAYS_30 = Date.parse(now) / 1000 + 30 * 86_400

describe('a delivery', () => {
  it('names its event, and has no attempt at first', () => {
    expect(made).toEqual({ ...event, generation: 3, attempts: [], failures: 0, next_attempt_at: null })
  })

  it.each<[list: DeliveryList, more: object]>([
    ['NEW', { next_attempt_at: later }],
    ['AGAIN', { next_attempt_at: later }],
    ['DELIVERED', { next_attempt_at: null, ttl: DAYS_30 }],
    ['FAILED', { next_attempt_at: null, ttl: DAYS_30 }],
  ])('is an item of %s, and read from it', (list, more) => {
    const item = itemOf('w', list, { id: 'd', delivery: listed('NEW', { next_attempt_at: later }) }, now)
    expect(item).toStrictEqual({ ...deliveryKey('w', list, 'd'), ...made, ...more })
    const { next_attempt_at } = item as unknown as ListedDelivery
    expect(deliveryIn(item)).toStrictEqual(listed(list, { next_attempt_at }))
  })

  it('is read in whichever list it is, first where it is still tried', async () => {
    const having =
      (...lists: DeliveryList[]) =>
      async (key: Key) => {
        const list = lists.find((one) => deliveryKey('w', one, 'd').sk === key.sk)
        return list && { ...key, ...made }
      }
    for (const [lists, found] of [
      [['NEW'], 'NEW'],
      [['AGAIN'], 'AGAIN'],
      [['FAILED'], 'FAILED'],
      [['DELIVERED'], 'DELIVERED'],
      [['FAILED', 'AGAIN'], 'AGAIN'],
    ] as const)
      expect((await readDelivery({ get: having(...lists) }, 'w', 'd'))?.list).toBe(found)
    expect(await readDelivery({ get: having() }, 'w', 'd')).toBeUndefined()
  })

  it('keeps its last ten attempts', () => {
    let delivery = listed('NEW')
    for (let ms = 1; ms <= 12; ms++) delivery = withAttempt(delivery, now, { status: 500, ms, fault: 'f' })
    expect(delivery.attempts.map(({ ms }) => ms)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(delivery.attempts[0]).toStrictEqual({ at: now, status: 500, ms: 3, fault: 'f' })
    expect({ ...delivery, attempts: [] }).toEqual(listed('NEW'))
  })

  it.each<
    [list: DeliveryList, webhook: Pick<Webhook, 'enabled' | 'generation' | 'types'>, state: string, next: string | null]
  >([
    ['NEW', webhook, 'WAITING', now],
    ['AGAIN', webhook, 'WAITING', later],
    ['AGAIN', { ...webhook, enabled: false }, 'FAILED', null],
    ['AGAIN', { ...webhook, generation: 4 }, 'FAILED', null],
    ['AGAIN', { ...webhook, enabled: false, generation: 2 }, 'WAITING', later],
    ['DELIVERED', { ...webhook, generation: 4 }, 'DELIVERED', null],
    ['FAILED', webhook, 'FAILED', null],
  ])('in %s of a webhook %j is %s', (list, of, state, next_attempt_at) => {
    const delivery = listed(list, { next_attempt_at: list === 'NEW' ? null : later })
    expect(stateOf(delivery, of)).toBe(state)
    const view = { id: 'd', event_id: 'e', type: 'role.created', state, attempts: [], next_attempt_at }
    expect(viewDelivery(delivery, of as Webhook, now)).toStrictEqual(view)
    expect(viewDelivery({ ...delivery, key: null }, of as Webhook, now)).toStrictEqual({ ...view, event_id: null })
  })

  it('that has yet to be tried is not opened again; others are, as if they had not failed', () => {
    const waiting = listed('NEW')
    expect(moveToNew('w', waiting, webhook, now)).toEqual({ actions: [], delivery: waiting })
    for (const failed of [listed('FAILED', { generation: 1, failures: 9 }), listed('NEW', { generation: 2 })]) {
      const { delivery, actions } = moveToNew('w', failed, webhook, now)
      expect(delivery).toEqual({ ...failed, generation: 3, failures: 0, next_attempt_at: null, list: 'NEW' })
      expect(actions).toContainEqual(
        expect.objectContaining({ put: expect.objectContaining({ generation: 3, failures: 0 }) }),
      )
    }
  })
})

type Step = 'again' | 'now' | 'reopen' | 'DELIVERED' | 'FAILED'
type Requests = Partial<Record<'bulk' | 'write', readonly object[]>>

/** What the end of a delivery writes: in bulk, or as a transaction. */
async function requestsOf(...args: Parameters<typeof finishDelivery> extends [unknown, ...infer Rest] ? Rest : never) {
  const requests: Requests = {}
  const noting = (name: 'bulk' | 'write') => async (changes: readonly object[]) => {
    expect(requests).toEqual({})
    requests[name] = changes
  }
  await finishDelivery({ bulk: noting('bulk'), write: noting('write') }, ...args)
  return requests
}

/** What a step writes. */
async function changesOf(step: Step, before: ListedDelivery, at: string): Promise<readonly object[]> {
  if (step === 'reopen') return moveToNew('w', before, webhook, now).actions
  if (step === 'again' || step === 'now')
    return waitActions('w', before, { ...before, next_attempt_at: step === 'now' ? null : at }, now)
  const { bulk = [], write = [] } = await requestsOf('w', { before, after: { ...before, failures: 1 } }, step, now)
  return [...bulk, ...write]
}

describe('in whichever order a delivery is tried, opened and ends', () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom<Step>('again', 'now', 'reopen', 'DELIVERED', 'FAILED'), fc.constantFrom(now, later)),
    { maxLength: 8 },
  )

  it('it is in one list, and is due where it is tried again', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const first = itemOf('w', 'NEW', { id: 'd', delivery: made }, now)
        const table = new Map<string, Item>([[textOfKey(first), first]])
        let delivery = deliveryIn(first)
        for (const [step, at] of all) {
          // What has ended is not tried any more until it is opened again.
          if (['DELIVERED', 'FAILED'].includes(delivery.list) && step !== 'reopen') continue
          for (const change of (await changesOf(step, delivery, at)) as ({ put: Item } | { delete: Key })[])
            if ('put' in change) table.set(textOfKey(change.put), change.put)
            else table.delete(textOfKey(change.delete))
          const items = [...table.values()]
          const isDue = ({ sk }: Key) => sk.startsWith('DUE#')
          const found = items.filter((item) => !isDue(item)).map(deliveryIn)
          expect(found).toHaveLength(1)
          delivery = found[0] as ListedDelivery
          const expected = { again: 'AGAIN', now: 'NEW', reopen: 'NEW', DELIVERED: 'DELIVERED', FAILED: 'FAILED' }
          expect(delivery.list).toBe(expected[step])
          const due = delivery.next_attempt_at === null ? [] : [dueKey('w', delivery.next_attempt_at, 'd')]
          expect(items.filter(isDue)).toEqual(due)
          expect(delivery.next_attempt_at).toBe(step === 'again' ? at : null)
        }
      }),
      { numRuns: runs(100) },
    )
  })

  it('one that fails takes a transaction, if no call has opened it again; one that arrives takes one request', async () => {
    const before = listed('AGAIN', { next_attempt_at: later })
    const move = { before, after: before }
    const put = (list: DeliveryList) => ({ put: itemOf('w', list, { id: 'd', delivery: before }, now) })
    const [again, due] = [{ delete: deliveryKey('w', 'AGAIN', 'd') }, { delete: dueKey('w', later, 'd') }]
    const unchanged = { ...again, if: expect.any(Function) }
    expect(await requestsOf('w', move, 'FAILED', now)).toEqual({ write: [put('FAILED'), unchanged, due] })
    expect(await requestsOf('w', move, 'DELIVERED', now)).toEqual({ bulk: [put('DELIVERED'), again, due] })
  })
})
