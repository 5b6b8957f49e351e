import { type ReadPoint, remembered } from '../base/memory.ts'
import * as keys from './keys.ts'
import type { Action, Announced, Item, Key, Store } from './store.ts'

/**
 * The outbox: while a webhook is enabled, each transaction with events writes one entry that names them. It is deleted once
 * each webhook has its deliveries. Entries are not looked for by time, so a wrong clock cannot leave out an event.
 */

/** The events of one transaction. One without events only starts the function `deliver`. */
export type OutboxEntry = Key & { events: readonly Announced[] }

/** The filter of the table's stream lets new items with this attribute through to the function `deliver`. */
const wakes = { wakes: 'deliver' }

/** Names the events of a transaction in the outbox. Without events it adds nothing. */
export const announce = (events: readonly Announced[], id: string): Action[] =>
  events[0] ? [{ put: { ...keys.outboxKey(events[0].key.pk, id), ...wakes, events } }] : []

/** Starts the function `deliver`: there is something to do for a webhook. */
export const wake = (id: string): { put: Item } => ({ put: { ...keys.outboxKey(id, id), ...wakes, events: [] } })

const isAnyEnabled = async (store: Pick<Store, 'get'>): Promise<boolean> =>
  Number((await store.get(keys.webhookCountsKey))?.enabled ?? 0) > 0

/**
 * Returns a function that says whether a webhook is enabled: only then events are announced. It reads this once in five seconds,
 * so a write that begins five seconds after a webhook was enabled announces its events.
 */
export function rememberWebhookEnabled(pointNow: () => ReadPoint): (store: Pick<Store, 'get'>) => Promise<boolean> {
  const memory = remembered(isAnyEnabled, { ms: 5000 })
  return (store) => memory.read(store, pointNow())
}
