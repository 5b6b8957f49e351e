import { refuseFault } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { createRecord } from '../table/changes.ts'
import { wake } from '../table/outbox.ts'
import { externals } from './externals.ts'
import { healthy } from './health.ts'
import { makeSecret } from './makeSecret.ts'
import { targetFault } from './reach.ts'
import { countWebhook, viewWebhook, webhookFields, webhooks } from './webhook.ts'

/** Creates a webhook. Its secret is in this answer and in no other one. */
export async function createWebhook(context: Context, { body }: Input<'createWebhook'>) {
  const { store, now, newId, actorId } = context
  // Only a permitted caller makes the service look up names.
  await context.actor()
  const fault = await targetFault(body.url, externals.reach())
  if (fault) throw refuseFault('INVALID_WEBHOOK_URL', 'url', fault)
  const id = newId()
  const { secret, stored } = await makeSecret(id)
  const webhook = webhookFields.create(body, {
    id,
    created_by: actorId,
    created_at: now,
    updated_at: now,
    secrets: [stored],
  })
  await store.write([createRecord(webhooks, webhook), ...countWebhook(undefined, webhook), wake(newId())])
  return { status: 201, body: { ...viewWebhook(webhook, healthy), secret }, own: webhookFields.own(webhook) }
}
