import { type EventView, readEvent } from '../events/event.ts'
import { idOfEvent } from '../table/keys.ts'
import type { Store } from '../table/store.ts'
import type { ListedDelivery } from './delivery.ts'
import { signedHeaders } from './signature.ts'

/** The type of the message that a test delivers. It is no event. */
export const TEST = 'webhook.test'

/** What is sent as the body of a delivery: the event as GET events answers it. */
type Body = { type: string; timestamp: string; data: EventView | { webhook_id: string } }

/** The id that a receiver sees in each attempt: that of the event, as one event may be delivered twice. */
const messageId = ({ id, key }: ListedDelivery): string => (key ? idOfEvent(key.sk) : id)

/** The body of a delivery; undefined if its event is no longer kept. From a user's deadline on it has no values of theirs. */
export async function bodyOf(
  store: Pick<Store, 'get'>,
  webhook: string,
  { key, type }: Pick<ListedDelivery, 'key' | 'type'>,
  now: string,
): Promise<Body | undefined> {
  if (!key) return { type, timestamp: now, data: { webhook_id: webhook } }
  const data = await readEvent(store, key, now)
  return data && { type, timestamp: data.time, data }
}

/** The signed message of an attempt that begins now. */
export function messageOf(delivery: ListedDelivery, body: Body, secrets: readonly string[], now: Date) {
  const text = JSON.stringify(body)
  const signed = { id: messageId(delivery), timestamp: Math.floor(now.getTime() / 1000), body: text }
  return { headers: signedHeaders(signed, secrets), body: text }
}
