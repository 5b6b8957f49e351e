import { refuse } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { wake } from '../table/outbox.ts'
import { isStillWanted, moveToNew, readDelivery, viewDelivery } from './delivery.ts'
import { requireEnabled, requireWebhook, stillEnabled } from './webhook.ts'

/**
 * Opens a delivery again: it is tried at once, and has all of its attempts before it. One of a type that the webhook no longer takes
 * stays as it is: FAILED or DELIVERED.
 */
export async function redeliver({ store, now, newId }: Context, { path }: Input<'redeliver'>) {
  const [webhook, found] = await Promise.all([
    requireWebhook(store, path.webhook_id),
    readDelivery(store, path.webhook_id, path.delivery_id),
  ])
  if (!found) throw refuse('DELIVERY_NOT_FOUND', 'delivery_id')
  requireEnabled(webhook)
  if (!isStillWanted(found, webhook)) return { status: 202, body: viewDelivery(found, webhook, now) }
  const { actions, delivery } = moveToNew(webhook.id, found, webhook, now)
  await store.write([...actions, stillEnabled(webhook), wake(newId())])
  return { status: 202, body: viewDelivery(delivery, webhook, now) }
}
