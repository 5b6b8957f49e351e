import type { Context, Input } from '../request/context.ts'
import { answerOf, requireWithHealth } from './webhook.ts'

/** Reads a webhook. */
export async function getWebhook({ store }: Context, { path }: Input<'getWebhook'>) {
  const { webhook, health } = await requireWithHealth(store, path.webhook_id)
  return answerOf(webhook, health)
}
