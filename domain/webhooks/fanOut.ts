import { slices } from '../base/flow.ts'
import { deliveryOf } from '../table/keys.ts'
import { clearOutbox, type OutboxEntry, readOutbox } from '../table/outbox.ts'
import { type Announced, nameOf, type Store } from '../table/store.ts'
import { itemOf, newDelivery } from './delivery.ts'
import { isWanted, readWebhooks, type Webhook } from './webhook.ts'

/** An event by its key: two events never have the same. */
const nameOfEvent = ({ key }: Announced): string => nameOf(key)

/** The event before this one of the same record, by the same name. */
const nameOfPrevious = ({ key, previous }: Announced): string | undefined =>
  previous === undefined ? undefined : nameOf({ ...key, sk: previous })

/** Entries whose deliveries are made and that are cleared together. */
const ENTRIES_AT_ONCE = 200

/**
 * Makes the deliveries of all that the outbox names, and clears it, as far as `mayGoOn`. Answers the webhooks that have
 * something to do; undefined if the outbox was empty. May be repeated, and die after any request: an entry goes only when its
 * deliveries are written.
 *
 * Webhooks are read after the outbox. A transaction that began 5 seconds after a webhook was enabled is in the outbox, so this
 * webhook is among those that are read.
 *
 * The delivery of an event is written after that of the event before it of the same record. The outbox is read twice for that:
 * a transaction with an event has read the event before it, so this was written by the end of the first reading. If the second
 * one does not find it, its deliveries are made already.
 */
export async function fanOut(
  store: Store,
  now: string,
  mayGoOn: () => Promise<boolean>,
): Promise<ReadonlySet<string> | undefined> {
  const first = await readOutbox(store)
  if (first.length === 0) return undefined
  const entries = withEarlier(first, hasUnknown(first) ? await readOutbox(store) : [])
  const all = await readWebhooks(store)
  const enabled = all.filter((webhook) => webhook.enabled)
  // An entry without events only says that there is something to do.
  const reached = new Set(entries.some(({ events }) => events.length === 0) ? all.map(({ id }) => id) : [])
  const parts = inChains(entries).flatMap((level) => slices(level, ENTRIES_AT_ONCE))
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

/** Whether the event before one of these is not among them. */
function hasUnknown(entries: readonly OutboxEntry[]): boolean {
  const events = entries.flatMap((entry) => entry.events)
  const names = new Set(events.map(nameOfEvent))
  return events.map(nameOfPrevious).some((previous) => previous !== undefined && !names.has(previous))
}

/** The entries of the first reading, and those of the second one that name events before theirs. */
export function withEarlier(first: readonly OutboxEntry[], second: readonly OutboxEntry[]): OutboxEntry[] {
  const holding = new Map(second.flatMap((entry) => entry.events.map((event) => [nameOfEvent(event), entry])))
  const entries = new Map(first.map((entry) => [nameOf(entry), entry]))
  // A map that grows while it is read: an earlier event may have an earlier one, too.
  for (const { events } of entries.values())
    for (const event of events) {
      const entry = holding.get(nameOfPrevious(event) ?? '')
      if (entry && !entries.has(nameOf(entry))) entries.set(nameOf(entry), entry)
    }
  return [...entries.values()]
}

/** Entries in groups: each comes in a later group than those with events before its own. */
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
