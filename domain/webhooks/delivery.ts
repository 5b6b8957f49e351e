import { DAY_MS, momentAfter } from '../base/text.ts'
import * as keys from '../table/keys.ts'
import { defineRow } from '../table/records.ts'
import type { Action, Announced, Item, Key, Store } from '../table/store.ts'
import type { Attempt } from './send.ts'
import type { Webhook } from './webhook.ts'

/**
 * A delivery of an event to a webhook. It is in one list: NEW before its first attempt, AGAIN before a later one, DELIVERED or
 * FAILED after the last one. In AGAIN a second item, DUE, has its time in the key. It names its event and holds no value of it.
 */
export type Delivery = Omit<Announced, 'key'> & {
  /** The key of the event; null for a test. */
  key: Key | null
  /** The webhook's generation when it was made. */
  generation: number
  /** The last attempts, oldest first. */
  attempts: readonly AttemptView[]
  /** Failed attempts, without those while its webhook was FAILING. */
  failures: number
  next_attempt_at: string | null
}

type AttemptView = { at: string; status: number | null; ms: number; fault: string | null }

const rows = defineRow<Delivery & { ttl?: number }>()

/** A delivery, with its id and its list. */
export type Listed = Delivery & { id: string; list: keys.DeliveryList }

/** An item as a delivery. */
export function deliveryIn(item: Item): Listed {
  const { pk: _pk, sk: _sk, ttl: _ttl, ...delivery } = rows.of(item)
  return { ...delivery, id: keys.idOfDelivery(item), list: keys.listOfDelivery(item) }
}

/** How long deliveries are kept after their last attempt. */
const KEPT_MS = 30 * DAY_MS
/** Attempts that a delivery lists. It may have more: those while its webhook is FAILING do not count (backOff.ts). */
const LISTED_ATTEMPTS = 10

/** A delivery that has yet to be tried. */
export const newDelivery = (event: Announced, { generation }: Pick<Webhook, 'generation'>): Delivery => ({
  ...event,
  generation,
  attempts: [],
  failures: 0,
  next_attempt_at: null,
})

/** The item of a delivery in a list. Those of DELIVERED and FAILED are kept for 30 days from now on. */
export function itemOf(webhook: string, list: keys.DeliveryList, { id, delivery }: Placed, now: string): Item {
  const isOver = list === 'DELIVERED' || list === 'FAILED'
  const { list: _list, id: _id, ...fields } = delivery as Listed
  return rows.item(keys.deliveryKey(webhook, list, id), {
    ...fields,
    ...(isOver ? { next_attempt_at: null, ttl: keys.ttlOf(momentAfter(now, KEPT_MS)) } : {}),
  })
}
type Placed = { id: string; delivery: Delivery }

/** The keys of all items that a delivery has in its list. */
const keysOf = (webhook: string, { id, list, next_attempt_at }: Listed): Key[] => [
  keys.deliveryKey(webhook, list, id),
  ...(next_attempt_at ? [keys.dueKey(webhook, next_attempt_at, id)] : []),
]

/** The same delivery after an attempt. */
export const withAttempt = (delivery: Listed, at: string, { status, ms, fault }: Attempt): Listed => ({
  ...delivery,
  attempts: [...delivery.attempts, { at, status, ms, fault }].slice(-LISTED_ATTEMPTS),
})

/**
 * Moves deliveries to the list where they end, by puts and deletes that need no condition, as only the holder of the lease tries
 * deliveries. Those that have failed are put first: if a process dies before it deletes the others, they are tried once more.
 * Those that have arrived take one request. If a process dies while DynamoDB carries out a part of it, one may be missing from the
 * lists.
 */
export async function end(
  store: Pick<Store, 'bulk'>,
  webhook: string,
  moves: readonly { before: Listed; after: Listed }[],
  list: 'DELIVERED' | 'FAILED',
  now: string,
): Promise<void> {
  const puts = moves.map(({ after }) => ({ put: itemOf(webhook, list, { id: after.id, delivery: after }, now) }))
  const deletes = moves.flatMap(({ before }) => keysOf(webhook, before).map((key) => ({ delete: key })))
  if (list === 'DELIVERED') return store.bulk([...puts, ...deletes])
  await store.bulk(puts)
  await store.bulk(deletes)
}

/** The actions that make a delivery wait: until `next_attempt_at`, or in NEW for the next free attempt if that is null. */
export function opening(webhook: string, before: Listed, after: Delivery, now: string): Action[] {
  const { id } = before
  const list = after.next_attempt_at === null ? 'NEW' : 'AGAIN'
  const item = itemOf(webhook, list, { id, delivery: after }, now)
  const due = after.next_attempt_at === null ? [] : [keys.dueKey(webhook, after.next_attempt_at, id)]
  const kept = new Set([item.sk, ...due.map(({ sk }) => sk)])
  const left = keysOf(webhook, before).filter(({ sk }) => !kept.has(sk))
  return [{ put: item }, ...due.map((put) => ({ put })), ...left.map((key) => ({ delete: key }))]
}

/** The changes that put the delivery of an event into NEW, as if there had been none, and take it out of the other lists. */
export async function startingAnew(store: Pick<Store, 'get'>, webhook: Webhook, event: Announced, now: string) {
  const id = keys.deliveryOf(event.key.sk)
  const again = await store.get(keys.deliveryKey(webhook.id, 'AGAIN', id))
  const left = [
    ...(again ? keysOf(webhook.id, deliveryIn(again)) : []),
    keys.deliveryKey(webhook.id, 'DELIVERED', id),
    keys.deliveryKey(webhook.id, 'FAILED', id),
  ]
  const put = itemOf(webhook.id, 'NEW', { id, delivery: newDelivery(event, webhook) }, now)
  return [{ put }, ...left.map((key) => ({ delete: key }))]
}

const lists = ['NEW', 'AGAIN', 'DELIVERED', 'FAILED'] as const

/** The actions that make any delivery wait in NEW, with all of its attempts before it; none if it is there already. */
export function reopening(webhook: string, before: Listed, { generation }: Pick<Webhook, 'generation'>, now: string) {
  if (before.list === 'NEW' && before.generation === generation) return { actions: [], delivery: before }
  const delivery: Listed = { ...before, generation, failures: 0, next_attempt_at: null, list: 'NEW' }
  return { actions: opening(webhook, before, delivery, now), delivery }
}

/** The state of a delivery: what waits for a webhook that was disabled since has failed. */
export function stateOf({ list, generation }: Listed, webhook: Pick<Webhook, 'enabled' | 'generation'>) {
  if (list === 'DELIVERED' || list === 'FAILED') return list
  return webhook.enabled && generation === webhook.generation ? 'WAITING' : 'FAILED'
}

/** A delivery as it is answered. A new one is tried as soon as possible. */
export function viewDelivery(delivery: Listed, webhook: Webhook, now: string) {
  const { id, key, type, attempts, next_attempt_at } = delivery
  const state = stateOf(delivery, webhook)
  return {
    id,
    event_id: key && keys.idOfEvent(key.sk),
    type,
    state,
    attempts,
    next_attempt_at: state === 'WAITING' ? (next_attempt_at ?? now) : null,
  }
}

/** A delivery, from the list that it is in. If a process died and left it in two lists, the list where it is still tried counts. */
export async function readDelivery(
  store: Pick<Store, 'get'>,
  webhook: string,
  id: string,
): Promise<Listed | undefined> {
  const found = await Promise.all(lists.map((list) => store.get(keys.deliveryKey(webhook, list, id))))
  const item = found.find((one) => one !== undefined)
  return item && deliveryIn(item)
}
