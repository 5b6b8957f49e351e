import { deliveriesIn } from '../table/keys.ts'
import { happened, pages, type Store } from '../table/store.ts'
import { deliveryIn, end, stateOf } from './delivery.ts'
import { type Webhook, webhooks } from './webhook.ts'

/** Deliveries that one run moves at most for each webhook: the others do not wait long. */
const MOST_MOVED = 1000
const READ_AT_ONCE = 500

/**
 * Moves what waited when a webhook was disabled to FAILED. Once nothing of it is left, the list of failed deliveries no longer has
 * to look for it among those that wait. A run does this before its first fan-out, so that it adds no such delivery meanwhile.
 */
export async function sweep(store: Store, webhook: Webhook, now: string): Promise<void> {
  let count = 0
  for (const list of ['NEW', 'AGAIN'] as const)
    for await (const { items } of pages(store, { ...deliveriesIn(webhook.id, list), limit: READ_AT_ONCE })) {
      const failed = items.map(deliveryIn).filter((delivery) => stateOf(delivery, webhook) === 'FAILED')
      const moves = failed.map((delivery) => ({ before: delivery, after: delivery }))
      await end(store, webhook.id, moves, 'FAILED', now)
      count += failed.length
      if (count >= MOST_MOVED) return
    }
  // If it was changed meanwhile, the next run does it.
  await happened(store.write([webhooks.replace(webhook, { ...webhook, mustSweep: false })], 'aside'))
}
