import { faulty } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { type Cleared, changedOrSame, mergePatch } from '../request/input.ts'
import { decideOn } from '../request/preconditions.ts'
import { webhookHealthKey } from '../table/keys.ts'
import { wake } from '../table/outbox.ts'
import { healthy } from './backOff.ts'
import { outside } from './outside.ts'
import { targetFault } from './send.ts'
import { answerOf, countWebhook, ownOfWebhook, requireWithHealth, type Webhook, webhooks } from './webhook.ts'

const cleared: Cleared<Webhook> = { url: undefined, types: null, description: null, enabled: undefined }

/**
 * Changes a webhook. Once it is disabled, what waits has failed. When it is enabled again, it begins anew: nothing of the time
 * between is delivered, and it is not FAILING.
 */
export async function updateWebhook(context: Context, { path, body }: Input<'updateWebhook'>) {
  const { store, now, newId } = context
  const { webhook: before, health } = await requireWithHealth(store, path.webhook_id)
  const after = decideOn(context, before, () => patched(before, body, now), ownOfWebhook(before))
  if (after === before) return answerOf(before, health)
  if (after.url !== before.url) {
    await context.actor()
    const fault = await targetFault(after.url, outside.reach())
    if (fault) throw faulty('INVALID_WEBHOOK_URL', 'url', fault)
  }
  const isEnabledAgain = after.enabled && !before.enabled
  await store.write([
    webhooks.replace(before, after),
    ...countWebhook(before, after),
    ...(isEnabledAgain ? [{ delete: webhookHealthKey(before.id) }] : []),
    wake(newId()),
  ])
  return answerOf(after, isEnabledAgain ? healthy : health)
}

function patched(before: Webhook, patch: Input<'updateWebhook'>['body'], now: string): Webhook {
  const after = mergePatch(before, patch, cleared)
  const generation = before.generation + Number(after.enabled && !before.enabled)
  return changedOrSame(before, after, { updated_at: now, generation })
}
