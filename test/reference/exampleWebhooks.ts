import { createRecord } from '../../domain/table/changes.ts'
import type { WorkStore } from '../../domain/table/store.ts'
import { itemOf } from '../../domain/webhooks/delivery.ts'
import { keyServiceOf, LOCAL_KEY } from '../../domain/webhooks/keyService.ts'
import { newSecret } from '../../domain/webhooks/signature.ts'
import { countWebhook, type Webhook, webhooks } from '../../domain/webhooks/webhook.ts'

/**
 * The webhooks that the examples of the reference name: `hook-1` is only read, and each of the others is changed by one
 * operation. They are in no import, as they would send what happens in the demo to somebody.
 */
export async function makeExampleWebhooks(store: WorkStore, now: string): Promise<void> {
  const { seal } = keyServiceOf({ WEBHOOK_KEY: LOCAL_KEY })
  for (const nth of [1, 2, 3, 4, 5, 6, 7]) {
    const id = `hook-${nth}`
    const webhook: Webhook = {
      id,
      url: 'https://1.1.1.1/hooks/rollcall',
      types: ['user.*'],
      description: 'Keeps the phone book up to date',
      enabled: true,
      created_by: 'demo-admin',
      created_at: now,
      updated_at: now,
      rotated_at: null,
      secrets: [{ sealed: await seal(newSecret(), id), until: null }],
      generation: 1,
    }
    await store.write([createRecord(webhooks, webhook), ...countWebhook(undefined, webhook)])
    await store.bulk(['hook-1', 'hook-6'].includes(id) ? deliveriesOf(id, now).map((put) => ({ put })) : [])
  }
}

/** One that has failed, and one that was delivered. */
function deliveriesOf(webhook: string, now: string) {
  const made = (eventId: string, status: number, list: 'DELIVERED' | 'FAILED') => {
    const key = { pk: 'EVENTS#user#user-030', sk: `2026-11-20T09:00:00.000Z\u0001${eventId}` }
    const attempts = [
      { at: '2026-11-20T09:00:00.400Z', status, ms: 84, fault: status === 200 ? null : `answered ${status}` },
    ]
    const delivery = {
      ...{ key, type: 'user.locked', record: 'user~user-030', generation: 1, attempts },
      ...{ failures: Number(status !== 200), next_attempt_at: null },
    }
    return itemOf(webhook, list, { id: `20261120T090000000Z-${eventId}`, delivery }, now)
  }
  return [
    made('5f0c6f0e-3d0e-4b53-9a52-5a7f6d1f2a11', 503, 'FAILED'),
    made('3c1d2f4a-9f0d-4a52-8a3c-3f2f3c1f7a90', 200, 'DELIVERED'),
  ]
}
