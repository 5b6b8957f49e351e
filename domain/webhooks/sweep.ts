import { deliveriesIn } from '../table/keys.ts'
import { happened, pages, type Store } from '../table/store.ts'
import { deliveryIn, end, stateOf } from './delivery.ts'
import { type Webhook, webhooks } from './webhook.ts'

/** The most deliveries that one run moves for each webhook: the other webhooks wait for the sweep. */
const MOST_MOVED = 1000
const READ_AT_ONCE = 500

/**
 * Moves the deliveries that waited when a webhook was disabled to FAILED, and clears `mustSweep` after the last one: while that is
 * set, the list of failed deliveries also looks for them in NEW and AGAIN. A run sweeps before its first fan-out, so that no
 * delivery is added while the lists are read.
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
  // If the webhook was changed meanwhile, the next run clears it.
  await happened(store.write([webhooks.replace(webhook, { ...webhook, mustSweep: false })], 'aside'))
}
