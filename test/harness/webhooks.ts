import { decideAgain } from '../../domain/base/retry.ts'
import { createRecord, replaceRecord } from '../../domain/table/changes.ts'
import type { Store } from '../../domain/table/store.ts'
import { keyServiceOf, LOCAL_KEY } from '../../domain/webhooks/keyService.ts'
import { newSecret } from '../../domain/webhooks/signature.ts'
import { countWebhook, type Webhook, webhooks } from '../../domain/webhooks/webhook.ts'

export const keyService = keyServiceOf({ WEBHOOK_KEY: LOCAL_KEY })

/** Writes an enabled webhook for all events, with a known id, and without a look at its address. */
export async function writeWebhook(store: Store, id: string, url: string, now: string): Promise<void> {
  const sealed = await keyService.seal(newSecret(), id)
  const webhook: Webhook = {
    id,
    url,
    types: null,
    description: null,
    enabled: true,
    created_by: 'admin',
    created_at: now,
    updated_at: now,
    rotated_at: null,
    secrets: [{ sealed, until: null }],
    generation: 1,
  }
  await store.write([createRecord(webhooks, webhook), ...countWebhook(undefined, webhook)])
}

/** Disables a webhook, or enables it again, as a change of it does: again from the beginning where a run changes it meanwhile. */
export const enableWebhook = (store: Store, id: string, enabled: boolean): Promise<void> =>
  decideAgain(async () => {
    const before = await webhooks.read(store, id)
    if (!before) throw new Error(`There is no webhook ${id}`)
    const after = { ...before, enabled, generation: before.generation + Number(enabled), mustSweep: true }
    await store.write([replaceRecord(webhooks, before, after), ...countWebhook(before, after)])
  })
