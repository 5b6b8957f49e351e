import { DAY_MS, momentAfter } from '../base/text.ts'
import { keyOf, succeeded } from '../table/actions.ts'
import { is } from '../table/expressions.ts'
import { isAt } from '../table/items.ts'
import * as keys from '../table/keys.ts'
import { defineItem } from '../table/records.ts'
import type { Action, Announced, Item, Key, WorkStore } from '../table/store.ts'
import type { Attempt } from './send.ts'
import { isWanted, type Webhook } from './webhook.ts'

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

const rows = defineItem<Delivery & { ttl?: number }>()

/** A delivery, with its id and its list. */
export type ListedDelivery = Delivery & { id: string; list: keys.DeliveryList }

/** An item as a delivery. */
export function deliveryIn(item: Item): ListedDelivery {
  const { pk: _pk, sk: _sk, ttl: _ttl, ...delivery } = rows.of(item)
  return { ...delivery, id: keys.idOfDelivery(item), list: keys.listOfDelivery(item) }
}

/** How long deliveries are kept after their last attempt. */
const KEPT_MS = 30 * DAY_MS
/** Attempts that a delivery lists. It may have more: those while its webhook is FAILING do not count (health.ts). */
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
export function itemOf(webhook: string, list: keys.DeliveryList, { id, delivery }: WithId, now: string): Item {
  const isOver = list === 'DELIVERED' || list === 'FAILED'
  const { list: _list, id: _id, ...fields } = delivery as ListedDelivery
  return rows.item(keys.deliveryKey(webhook, list, id), {
    ...fields,
    ...(isOver ? { next_attempt_at: null, ttl: keys.ttlOf(momentAfter(now, KEPT_MS)) } : {}),
  })
}
type WithId = { id: string; delivery: Delivery }

/** A delivery before and after an attempt. */
export type DeliveryChange = { before: ListedDelivery; after: ListedDelivery }

/** The keys of all items that a delivery has in its list. */
const keysOf = (webhook: string, { id, list, next_attempt_at }: ListedDelivery): Key[] => [
  keys.deliveryKey(webhook, list, id),
  ...(next_attempt_at ? [keys.dueKey(webhook, next_attempt_at, id)] : []),
]

/** The same delivery after an attempt. */
export const withAttempt = (delivery: ListedDelivery, at: string, { status, ms, fault }: Attempt): ListedDelivery => ({
  ...delivery,
  attempts: [...delivery.attempts, { at, status, ms, fault }].slice(-LISTED_ATTEMPTS),
})

/** The same actions, which need the delivery to be still as it was read: a call may have opened it again meanwhile. */
function ifUnchanged(webhook: string, { id, list, generation }: ListedDelivery, actions: readonly Action[]): Action[] {
  const isIt = isAt(keys.deliveryKey(webhook, list, id))
  return actions.map((action) => (isIt(keyOf(action)) ? { ...action, if: is({ generation }) } : action))
}

/**
 * Moves a delivery to the list where it ends. One that has failed is moved by one transaction, unless it was opened again meanwhile.
 * One that has arrived takes puts and deletes in one request, without a condition. If a process dies while DynamoDB carries out a
 * part of that request, the delivery may be missing from the lists.
 */
export async function finishDelivery(
  store: Pick<WorkStore, 'bulk' | 'write'>,
  webhook: string,
  { before, after }: DeliveryChange,
  list: 'DELIVERED' | 'FAILED',
  now: string,
): Promise<void> {
  const put = { put: itemOf(webhook, list, { id: after.id, delivery: after }, now) }
  const changes = [put, ...keysOf(webhook, before).map((key) => ({ delete: key }))]
  if (list === 'DELIVERED') await store.bulk(changes)
  else await succeeded(store.write(ifUnchanged(webhook, before, changes), 'housekeeping'))
}

/**
 * The actions that make a delivery wait: until `next_attempt_at`, or in NEW for the next free attempt if that is null. It must be
 * still as it was read.
 */
export function waitActions(webhook: string, before: ListedDelivery, after: Delivery, now: string): Action[] {
  const { id } = before
  const list = after.next_attempt_at === null ? 'NEW' : 'AGAIN'
  const item = itemOf(webhook, list, { id, delivery: after }, now)
  const due = after.next_attempt_at === null ? [] : [keys.dueKey(webhook, after.next_attempt_at, id)]
  const kept = new Set([item.sk, ...due.map(({ sk }) => sk)])
  const left = keysOf(webhook, before).filter(({ sk }) => !kept.has(sk))
  const changes = [{ put: item }, ...due.map((put) => ({ put })), ...left.map((key) => ({ delete: key }))]
  return ifUnchanged(webhook, before, changes)
}

/** The actions that put the delivery of an event into NEW, as if there had been none, and take it out of the other lists. */
export async function restartActions(store: Pick<WorkStore, 'get'>, webhook: Webhook, event: Announced, now: string) {
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
export function moveToNew(
  webhook: string,
  before: ListedDelivery,
  { generation }: Pick<Webhook, 'generation'>,
  now: string,
) {
  if (before.list === 'NEW' && before.generation === generation) return { actions: [], delivery: before }
  const delivery: ListedDelivery = { ...before, generation, failures: 0, next_attempt_at: null, list: 'NEW' }
  return { actions: waitActions(webhook, before, delivery, now), delivery }
}

/** Whether a webhook still takes a delivery: a test, or an event of one of its types. */
export const isStillWanted = (
  { key, type }: Pick<ListedDelivery, 'key' | 'type'>,
  webhook: Pick<Webhook, 'types'>,
): boolean => key === null || isWanted(webhook, type)

/**
 * The state of a delivery. It has failed if the webhook no longer takes its type, or was disabled after it was made. A delivery of
 * a later generation waits: the webhook was enabled again after it was read.
 */
export function stateOf(delivery: ListedDelivery, webhook: Pick<Webhook, 'enabled' | 'generation' | 'types'>) {
  const { list, generation } = delivery
  if (list === 'DELIVERED' || list === 'FAILED') return list
  if (!isStillWanted(delivery, webhook)) return 'FAILED'
  const isWaiting = webhook.enabled ? generation >= webhook.generation : generation > webhook.generation
  return isWaiting ? 'WAITING' : 'FAILED'
}

/** A delivery as it is answered. A new one is tried as soon as possible. */
export function viewDelivery(delivery: ListedDelivery, webhook: Webhook, now: string) {
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
  store: Pick<WorkStore, 'get'>,
  webhook: string,
  id: string,
): Promise<ListedDelivery | undefined> {
  const found = await Promise.all(lists.map((list) => store.get(keys.deliveryKey(webhook, list, id))))
  const item = found.find((one) => one !== undefined)
  return item && deliveryIn(item)
}
