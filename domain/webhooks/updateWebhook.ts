import { refuseFault } from '../base/errors.ts'
import type { Context, Input } from '../request/context.ts'
import { changeIfMatch } from '../request/etags.ts'
import { changedOrSame, mergePatch } from '../request/patch.ts'
import { replaceRecord } from '../table/changes.ts'
import { webhookHealthKey } from '../table/keys.ts'
import { wake } from '../table/outbox.ts'
import { externals } from './externals.ts'
import { healthy } from './health.ts'
import { targetFault } from './reach.ts'
import {
  answerOf,
  countWebhook,
  isSameReceiver,
  isWanted,
  requireWithHealth,
  type Webhook,
  webhookFields,
  webhooks,
} from './webhook.ts'

/**
 * Changes a webhook. Once it is disabled, what waits has failed, and with other types, what waits of those left out. Enabling it again starts with new events. With another URL, or
 * enabled again, it is not FAILING, so the next run tries what waits.
 */
export async function updateWebhook(context: Context, { path, body }: Input<'updateWebhook'>) {
  const { store, now, newId } = context
  const { webhook: before, health } = await requireWithHealth(store, path.webhook_id)
  const after = changeIfMatch(context, before, () => patched(before, body, now), webhookFields.own(before))
  if (after === before) return answerOf(before, health)
  if (after.url !== before.url) {
    await context.actor()
    const fault = await targetFault(after.url, externals.reach())
    if (fault) throw refuseFault('INVALID_WEBHOOK_URL', 'url', fault)
  }
  const isSame = isSameReceiver(before, after)
  await store.write([
    replaceRecord(webhooks, before, after),
    ...countWebhook(before, after),
    // The webhook may get this URL again.
    ...(isSame ? [] : [{ delete: webhookHealthKey(before.id) }]),
    wake(newId()),
  ])
  return answerOf(after, isSame ? health : healthy)
}

/** Whether there may be a type that only the webhook before the change took. */
const isNarrowed = (before: Webhook, { types }: Webhook): boolean =>
  types !== null && (before.types === null || before.types.some((type) => !isWanted({ types }, type)))

function patched(before: Webhook, patch: Input<'updateWebhook'>['body'], now: string): Webhook {
  const after = mergePatch(before, patch, webhookFields.valueForNull)
  const generation = before.generation + Number(after.enabled && !before.enabled)
  const mustSweep = before.mustSweep || (before.enabled && !after.enabled) || isNarrowed(before, after)
  return changedOrSame(before, after, { updated_at: now, generation, mustSweep })
}
