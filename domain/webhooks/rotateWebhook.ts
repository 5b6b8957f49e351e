import { DAY_MS, momentAfter } from '../base/text.ts'
import type { Context, Input } from '../request/context.ts'
import { requireExpected } from '../request/etags.ts'
import { replaceRecord } from '../table/changes.ts'
import { makeSecret } from './makeSecret.ts'
import { answerOf, requireWithHealth, type Secret, type Webhook, webhookFields, webhooks } from './webhook.ts'

/** How long the secret before still signs, so that receivers can change over. */
const OVERLAP_MS = DAY_MS
/** Secrets that sign at the same time: each adds a signature to every message. */
const MOST_SECRETS = 5

/** Replaces the secret of a webhook. The new one is in this answer and in no other one. */
export async function rotateWebhook(context: Context, { path }: Input<'rotateWebhook'>) {
  const { store, now } = context
  const { webhook: before, health } = await requireWithHealth(store, path.webhook_id)
  requireExpected(context, webhookFields.own(before))
  await context.actor()
  const { secret, stored } = await makeSecret(before.id)
  const older = before.secrets
    .map((one): Secret => ({ ...one, until: one.until ?? momentAfter(now, OVERLAP_MS) }))
    .filter(({ until }) => until !== null && until > now)
  const secrets = [stored, ...older].slice(0, MOST_SECRETS)
  const after: Webhook = { ...before, secrets, rotated_at: now, updated_at: now }
  await store.write([replaceRecord(webhooks, before, after)])
  const answer = answerOf(after, health)
  return { ...answer, body: { ...answer.body, secret } }
}
