import { refuse } from '../base/errors.ts'
import { requireFields } from '../table/changes.ts'
import { atMost, either, lacks } from '../table/expressions.ts'
import { a, declareFields, everywhere, type RecordOf } from '../table/fields.ts'
import * as keys from '../table/keys.ts'
import { all } from '../table/reader.ts'
import { defineItem, defineRecord } from '../table/records.ts'
import type { Action, Item, Store } from '../table/store.ts'
import { type Health, healthy, isFailing } from './health.ts'

export const webhookFields = declareFields({
  id: { type: a<string>() },
  url: { type: a<string>(), set: 'ALWAYS' },
  /** Types of events, or all of a kind (`user.*`); null for every event. */
  types: { type: a<string[] | null>(), set: 'ALWAYS', default: null },
  description: { type: a<string | null>(), set: 'ALWAYS', default: null },
  enabled: { type: a<boolean>(), set: 'ALWAYS', initial: true },
  /** A user's id, or `service_token:` and the token's. Webhooks of the release before have the bare id of a token. */
  created_by: { type: a<string>() },
  created_at: { type: a<string>() },
  updated_at: { type: a<string>() },
  /** When its secret was last replaced. */
  rotated_at: { type: a<string | null>(), initial: null, hidden: ['ANSWERS'] },
  /** What signs, sealed: the newest one first. */
  secrets: { type: a<readonly Secret[]>(), hidden: everywhere },
  /** How often it has been enabled: a delivery that was made for an earlier time has failed. */
  generation: { type: a<number>(), initial: 1, hidden: everywhere },
  /** Whether deliveries that waited when it was disabled may still be in the lists NEW and AGAIN: see failWaiting.ts. */
  mustSweep: { type: a<boolean>(), optional: true, hidden: everywhere },
})

/** A webhook as it is stored. */
export type Webhook = RecordOf<typeof webhookFields>

/** A secret, sealed for its webhook; `until`: when it stops to sign, null for the newest one. */
export type Secret = { sealed: string; until: string | null }

export const webhooks = defineRecord<Webhook>({
  key: keys.webhookKey,
  fields: webhookFields,
  idOf: ({ id }) => [id],
  events: {
    kind: 'webhook',
    verb: (before, after) => {
      if (before.enabled && !after.enabled) return 'disabled'
      return before.rotated_at === after.rotated_at ? undefined : 'rotated'
    },
  },
})

/** All webhooks, as they are now. */
export const readWebhooks = async (store: Pick<Store, 'query'>): Promise<Webhook[]> =>
  (await all(store, keys.allWebhooks)).flatMap((item) => webhooks.of(item) ?? [])

/** The webhook that a path names, which must exist. */
export async function requireWebhook(store: Pick<Store, 'get'>, id: string) {
  const webhook = await webhooks.read(store, id)
  if (!webhook) throw refuse('WEBHOOK_NOT_FOUND', 'webhook_id')
  return webhook
}

/** Refuses what makes deliveries for a webhook that is disabled. */
export function requireEnabled({ enabled }: Webhook): void {
  if (!enabled) throw refuse('WEBHOOK_DISABLED', 'webhook_id')
}

/** Fails if the webhook has been disabled since it was read, even if it was enabled again. */
export const stillEnabled = ({ id, generation }: Webhook): Action =>
  requireFields(webhooks, [id], { enabled: true, generation })

export const MOST_WEBHOOKS = 20

/** Counts webhooks, of which there is a limit, and enabled ones, as changes ask whether there are any. */
export function countWebhook(before: Webhook | undefined, after: Webhook | undefined): Action[] {
  const all = Number(after !== undefined) - Number(before !== undefined)
  const enabled = Number(after?.enabled ?? false) - Number(before?.enabled ?? false)
  if (all === 0 && enabled === 0) return []
  const count: Action = { update: keys.webhookCountsKey, add: { all, enabled } }
  if (all <= 0) return [count]
  const isRoom = either(lacks('all'), atMost('all', MOST_WEBHOOKS - 1))
  return [{ ...count, if: isRoom, otherwise: { code: 'WEBHOOKS_LIMIT_EXCEEDED' } }]
}

/** Whether a webhook gets events of a type. */
export const isWanted = ({ types }: Pick<Webhook, 'types'>, type: string): boolean =>
  types === null || types.some((one) => one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))))

// The health of a webhook is a separate item, which the function `deliver` writes. It is about one receiver: if the URL is changed,
// or the webhook is enabled again, it no longer counts, and is deleted.

/** What a receiver is known by. */
type Receiver = Pick<Webhook, 'url' | 'generation'>

export const isSameReceiver = (one: Receiver, other: Receiver): boolean =>
  one.url === other.url && one.generation === other.generation

const healthRows = defineItem<Health & Receiver>()

export const healthItem = ({ id, url, generation }: Webhook, health: Health): Item =>
  healthRows.item(keys.webhookHealthKey(id), { ...health, url, generation })

const healthIn = (item: Item | undefined, webhook: Receiver): Health => {
  if (!item || !isSameReceiver(healthRows.of(item), webhook)) return healthy
  const { failures, failing_since, atOnce, paused_until } = healthRows.of(item)
  return { failures, failing_since, atOnce, paused_until }
}

export const readHealth = async (store: Pick<Store, 'get'>, webhook: Webhook): Promise<Health> =>
  healthIn(await store.get(keys.webhookHealthKey(webhook.id)), webhook)

/** A webhook, if it exists, and its health, in one request. */
export async function readWithHealth(store: Pick<Store, 'get'>, id: string) {
  const [webhook, item] = await Promise.all([webhooks.read(store, id), store.get(keys.webhookHealthKey(id))])
  return webhook && { webhook, health: healthIn(item, webhook) }
}

/** A webhook as it is answered. */
export const viewWebhook = (webhook: Webhook, health: Health) => ({
  ...webhookFields.shown(webhook),
  state: stateOf(webhook, health),
  failing_since: health.failing_since,
})

const stateOf = ({ enabled }: Webhook, health: Health) => {
  if (!enabled) return 'DISABLED' as const
  return isFailing(health) ? ('FAILING' as const) : ('OK' as const)
}

/** The webhook that a path names, which must exist, and its health. */
export async function requireWithHealth(store: Pick<Store, 'get'>, id: string) {
  const found = await readWithHealth(store, id)
  if (!found) throw refuse('WEBHOOK_NOT_FOUND', 'webhook_id')
  return found
}

/** The answer that shows a webhook. */
export const answerOf = (webhook: Webhook, health: Health) => ({
  status: 200,
  body: viewWebhook(webhook, health),
  own: webhookFields.own(webhook),
})
