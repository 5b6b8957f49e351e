import { chunksOf } from '../base/parallel.ts'
import { textOfKey } from '../table/items.ts'
import { deliveryOf } from '../table/keys.ts'
import type { OutboxEntry } from '../table/outbox.ts'
import type { Announced, WorkStore } from '../table/store.ts'
import { itemOf, newDelivery } from './delivery.ts'
import { clearOutbox, readOutbox } from './outboxEntries.ts'
import { isWanted, readWebhooks, type Webhook } from './webhook.ts'

/** An event by its key: two events never have the same. */
const nameOfEvent = ({ key }: Announced): string => textOfKey(key)

/** The name of the previous event of the same record. */
const nameOfPrevious = ({ key, previous }: Announced): string | undefined =>
  previous === undefined ? undefined : textOfKey({ ...key, sk: previous })

/** Entries whose deliveries are made and that are cleared together. */
const ENTRIES_AT_ONCE = 200

/**
 * Makes the deliveries of all events in the outbox, and deletes its entries, until `mayGoOn` says no. Returns the ids of the
 * webhooks that have something to do; undefined if the outbox was empty. An entry is deleted only after its deliveries are written,
 * so the process can die after any request, and the next one repeats the rest.
 *
 * Webhooks are read after the outbox. A transaction that began at least 5 seconds after a webhook was enabled has an entry in
 * the outbox, so the webhook that it must reach is read here.
 *
 * The delivery of an event is written after that of the previous event of the same record. For this the outbox is read twice. An
 * event's transaction had read the previous event, so that event's entry was written before the first reading ended. If the second
 * reading does not find it, it is cleared: its deliveries exist.
 */
export async function fanOut(
  store: WorkStore,
  now: string,
  mayGoOn: () => Promise<boolean>,
): Promise<ReadonlySet<string> | undefined> {
  const first = await readOutbox(store)
  if (first.length === 0) return undefined
  const entries = withPrevious(first, lacksPrevious(first) ? await readOutbox(store) : [])
  const all = await readWebhooks(store)
  const enabled = all.filter((webhook) => webhook.enabled)
  // An entry without events (`wake`) does not say for which webhook there is something to do.
  const reached = new Set(entries.some(({ events }) => events.length === 0) ? all.map(({ id }) => id) : [])
  const parts = inChains(entries).flatMap((group) => chunksOf(group, ENTRIES_AT_ONCE))
  for (const part of parts) {
    const made = part.flatMap(({ events }) => events.flatMap((event) => deliveriesOf(event, enabled, now)))
    for (const { webhook } of made) reached.add(webhook)
    await store.bulk(made.map(({ put }) => ({ put })))
    await clearOutbox(store, part)
    if (!(await mayGoOn())) break
  }
  return reached
}

const deliveriesOf = (event: Announced, enabled: readonly Webhook[], now: string) =>
  enabled
    .filter((webhook) => isWanted(webhook, event.type))
    .map((webhook) => {
      const placed = { id: deliveryOf(event.key.sk), delivery: newDelivery(event, webhook) }
      return { webhook: webhook.id, put: itemOf(webhook.id, 'NEW', placed, now) }
    })

/** Whether the previous event of one of these is not among them. */
function lacksPrevious(entries: readonly OutboxEntry[]): boolean {
  const events = entries.flatMap((entry) => entry.events)
  const names = new Set(events.map(nameOfEvent))
  return events.map(nameOfPrevious).some((previous) => previous !== undefined && !names.has(previous))
}

/** The entries of the first reading, and those of the second reading that have their previous events. */
export function withPrevious(first: readonly OutboxEntry[], second: readonly OutboxEntry[]): OutboxEntry[] {
  const holding = new Map(second.flatMap((entry) => entry.events.map((event) => [nameOfEvent(event), entry])))
  const entries = new Map(first.map((entry) => [textOfKey(entry), entry]))
  // The map grows while it is read: a previous event may have a previous one, too.
  for (const { events } of entries.values())
    for (const event of events) {
      const entry = holding.get(nameOfPrevious(event) ?? '')
      if (entry && !entries.has(textOfKey(entry))) entries.set(textOfKey(entry), entry)
    }
  return [...entries.values()]
}

/** Entries in groups, one after the other: each is in a later group than the entries with the events before its own. */
export function* inChains(entries: readonly OutboxEntry[]): Generator<OutboxEntry[]> {
  for (let left = entries; left.length > 0; ) {
    const waiting = new Set(left.flatMap(({ events }) => events.map(nameOfEvent)))
    const { true: ready = [], false: blocked = [] } = Object.groupBy(left, ({ events }) =>
      String(events.every((event) => !waiting.has(nameOfPrevious(event) ?? ''))),
    ) as Partial<Record<'true' | 'false', OutboxEntry[]>>
    // Chains have no circles: a transaction cannot read what is written after it.
    yield ready.length > 0 ? ready : blocked
    left = ready.length > 0 ? blocked : []
  }
}
