import { compareBytes } from '../base/text.ts'
import { askedCursor, type Cursor } from '../request/askedPage.ts'
import type { Context, Input } from '../request/context.ts'
import { type DeliveryList, deliveriesIn, idOfDelivery } from '../table/keys.ts'
import { merge } from '../table/merge.ts'
import type { Item } from '../table/store.ts'
import { deliveryIn, type ListedDelivery, stateOf, viewDelivery } from './delivery.ts'
import { requireWebhook, type Webhook } from './webhook.ts'

type Filter = { states: string[] | undefined }

/** Lists the deliveries of a webhook, those of the newest events first. */
export async function listDeliveries(context: Context, { path, query }: Input<'listDeliveries'>) {
  const { store, now } = context
  const [webhook, { cursor, limit, pagination }] = await Promise.all([
    requireWebhook(store, path.webhook_id),
    askedCursor<Filter>(context, ['listDeliveries', path.webhook_id], query, {
      sort: [],
      filters: { states: query.state },
    }),
  ])
  const found = await readMatching(context, webhook, cursor, limit + 1)
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  const next = last && { ...cursor, at: { values: [], id: last.id } }
  const deliveries = shown.map((delivery) => viewDelivery(delivery, webhook, now))
  return { status: 200, body: { deliveries, pagination: await pagination(next) } }
}

/** The lists that can have deliveries of these states. */
function listsOf(states: string[] | undefined, { enabled, mustSweep }: Webhook): DeliveryList[] {
  const waiting: DeliveryList[] = ['NEW', 'AGAIN']
  const of: Record<string, DeliveryList[]> = {
    WAITING: waiting,
    DELIVERED: ['DELIVERED'],
    // What waited when the webhook was disabled has failed, also while it is still in those lists.
    FAILED: mustSweep ? ['FAILED', ...waiting] : ['FAILED'],
  }
  // Nothing waits for a disabled webhook, however many deliveries are still in those lists.
  const wanted = states?.filter((state) => enabled || state !== 'WAITING') ?? Object.keys(of)
  return [...new Set(wanted.flatMap((state) => of[state] ?? []))]
}

/** The first deliveries after the cursor. Several lists are merged; what a process left in two lists is shown where it waits. */
async function readMatching({ store }: Context, webhook: Webhook, { at, filters }: Cursor<Filter>, limit: number) {
  const found = new Map<string, ListedDelivery>()
  const lists = listsOf(filters.states, webhook).map((list) => [
    { ...deliveriesIn(webhook.id, list, at?.id), descending: true },
  ])
  const compare = (a: Item, b: Item): number => compareBytes(idOfDelivery(b), idOfDelivery(a))
  for await (const rows of merge(store, { lists, compare, likely: limit, more: limit })) {
    for (const one of rows.map(deliveryIn))
      if (isShown(one, filters, webhook) && !found.has(one.id)) found.set(one.id, one)
    if (found.size >= limit) break
  }
  return [...found.values()].slice(0, limit)
}

const isShown = (delivery: ListedDelivery, { states }: Filter, webhook: Webhook): boolean =>
  states === undefined || states.includes(stateOf(delivery, webhook))
