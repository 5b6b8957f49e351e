import { inParallel } from '../base/parallel.ts'
import { succeeded } from '../table/actions.ts'
import { replaceRecord } from '../table/changes.ts'
import { deliveriesIn } from '../table/keys.ts'
import { pagesOf } from '../table/reader.ts'
import type { WorkStore } from '../table/store.ts'
import { deliveryIn, finishDelivery, stateOf } from './delivery.ts'
import { type Webhook, webhooks } from './webhook.ts'

/** The most deliveries that one run moves for each webhook: its new deliveries wait until this is over. */
const MOST_MOVED = 1000
const READ_AT_ONCE = 500
const MOVED_AT_ONCE = 10

/**
 * Moves the deliveries that waited when a webhook was disabled to FAILED, and clears `mustSweep` after the last one: while that is
 * set, the list of failed deliveries also looks for them in NEW and AGAIN. A run reads the webhook before its first
 * fan-out, so no fan-out adds such a delivery meanwhile, unless the webhook is changed: then `mustSweep` stays set.
 */
export async function failWaiting(
  store: WorkStore,
  webhook: Webhook,
  now: string,
  mayGoOn: () => Promise<boolean>,
): Promise<void> {
  let count = 0
  for (const list of ['NEW', 'AGAIN'] as const)
    for await (const { items } of pagesOf(store, { ...deliveriesIn(webhook.id, list), limit: READ_AT_ONCE })) {
      if (!(await mayGoOn())) return
      const failed = items.map(deliveryIn).filter((delivery) => stateOf(delivery, webhook) === 'FAILED')
      await inParallel(MOVED_AT_ONCE, failed, (delivery) =>
        finishDelivery(store, webhook.id, { before: delivery, after: delivery }, 'FAILED', now),
      )
      count += failed.length
      if (count >= MOST_MOVED) return
    }
  // If the webhook was changed meanwhile, the next run clears it.
  await succeeded(store.write([replaceRecord(webhooks, webhook, { ...webhook, mustSweep: false })], 'housekeeping'))
}
