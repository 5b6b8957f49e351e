import type { Context, Input } from '../request/context.ts'
import { requireExpected } from '../request/etags.ts'
import { removeRecord } from '../table/changes.ts'
import { goneWebhookKey } from '../table/keys.ts'
import { wake } from '../table/outbox.ts'
import { countWebhook, requireWebhook, webhookFields, webhooks } from './webhook.ts'

/** Deletes a webhook. The function `deliver` removes its deliveries. */
export async function deleteWebhook(context: Context, { path }: Input<'deleteWebhook'>) {
  const { store, newId } = context
  const webhook = await requireWebhook(store, path.webhook_id)
  requireExpected(context, webhookFields.own(webhook))
  const gone = { put: goneWebhookKey(webhook.id) }
  await store.write([removeRecord(webhooks, webhook), ...countWebhook(webhook, undefined), gone, wake(newId())])
  return { status: 204, body: undefined }
}
