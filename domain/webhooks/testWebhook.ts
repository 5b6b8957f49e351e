import type { Context, Input } from '../request/context.ts'
import { deliveryOf, eventSortKey, joinedId } from '../table/keys.ts'
import { wake } from '../table/outbox.ts'
import { type Delivery, itemOf, viewDelivery } from './delivery.ts'
import { TEST } from './message.ts'
import { requireEnabled, requireWebhook, stillEnabled } from './webhook.ts'

/** Delivers a test, which is no event. */
export async function testWebhook({ store, now, newId }: Context, { path }: Input<'testWebhook'>) {
  const webhook = await requireWebhook(store, path.webhook_id)
  requireEnabled(webhook)
  const id = deliveryOf(eventSortKey(now, newId()))
  const delivery: Delivery = {
    key: null,
    type: TEST,
    record: joinedId(TEST, id),
    generation: webhook.generation,
    attempts: [],
    failures: 0,
    next_attempt_at: null,
  }
  const put = itemOf(webhook.id, 'NEW', { id, delivery }, now)
  await store.write([{ put }, stillEnabled(webhook), wake(newId())])
  return { status: 202, body: viewDelivery({ ...delivery, id, list: 'NEW' }, webhook, now) }
}
