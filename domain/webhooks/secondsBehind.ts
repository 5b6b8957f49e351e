import { deliveriesIn, timeOfDelivery, timeOfSortKey } from '../table/keys.ts'
import type { Store } from '../table/store.ts'
import { isFailing } from './health.ts'
import { readOutbox } from './outboxEntries.ts'
import { readReplay } from './replay.ts'
import { readHealth, readWebhooks, type Webhook } from './webhook.ts'

type Reader = Pick<Store, 'get' | 'query'>

/**
 * For how many seconds the oldest event waits that was not sent yet. A webhook whose receiver fails does not count, as it waits for
 * days, nor one with a replay, as that is about old events.
 */
export async function secondsBehind(store: Reader, now: Date): Promise<number> {
  const webhooks = (await readWebhooks(store)).filter(({ enabled }) => enabled)
  if (webhooks.length === 0) return 0
  const [entries, ...firsts] = await Promise.all([
    readOutbox(store),
    ...webhooks.map((webhook) => firstWaiting(store, webhook)),
  ])
  const announced = entries.flatMap(({ events }) => events.map(({ key }) => timeOfSortKey(key.sk)))
  const ages = [...announced, ...firsts.flat()].map((moment) => (now.getTime() - Date.parse(moment)) / 1000)
  return Math.max(0, ...ages)
}

/** The time of the first event that waits for its first attempt. */
async function firstWaiting(store: Reader, webhook: Webhook): Promise<string[]> {
  const [health, replay] = await Promise.all([readHealth(store, webhook), readReplay(store, webhook.id)])
  if (isFailing(health) || replay) return []
  const { items } = await store.query({ ...deliveriesIn(webhook.id, 'NEW'), limit: 1 })
  return items.map(timeOfDelivery)
}
