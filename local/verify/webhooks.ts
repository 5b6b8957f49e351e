import * as keys from '../../domain/table/keys.ts'
import { deliveryIn } from '../../domain/webhooks/delivery.ts'
import { webhooks } from '../../domain/webhooks/webhook.ts'
import type { Expect } from './findings.ts'
import type { Copy } from './tableCopy.ts'

/** Webhooks are counted exactly; each delivery has a webhook, and one that is retried has a time. */
export function auditWebhooks(copy: Copy, expect: Expect): void {
  const all = [...copy.within('WEBHOOKS', 'W#')].flatMap((item) => webhooks.of(item) ?? [])
  const counts = copy.at(keys.webhookCountsKey)
  expect(Number(counts?.['all'] ?? 0), 'webhooks').toBe(all.length)
  expect(Number(counts?.['enabled'] ?? 0), 'enabled webhooks').toBe(all.filter(({ enabled }) => enabled).length)
  const gone = [...copy.within('WEBHOOKS', 'GONE#')].map(keys.idOfGoneWebhook)
  const existing = new Set([...all.map(({ id }) => id), ...gone])
  for (const item of copy.below('WEBHOOK#')) {
    const webhook = item.pk.slice('WEBHOOK#'.length)
    if (!existing.has(webhook)) expect(item.sk, 'a delivery without a webhook').toBe('deleted with its webhook')
    if (!item.sk.startsWith('AGAIN#')) continue
    const { id, next_attempt_at } = deliveryIn(item)
    const due = copy.at(keys.dueKey(webhook, next_attempt_at ?? '', id))
    expect(due, `when the delivery ${id} is tried again`).toBeDefined()
  }
}
