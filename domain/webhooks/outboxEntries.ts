import { outbox } from '../table/keys.ts'
import type { OutboxEntry } from '../table/outbox.ts'
import { all } from '../table/reader.ts'
import { type Item, keyIn, type Store } from '../table/store.ts'

/** All entries, in no order. */
export async function readOutbox(store: Pick<Store, 'query'>): Promise<OutboxEntry[]> {
  const shards = await Promise.all(outbox.map((shard) => all(store, shard)))
  return shards.flat() as (Item & OutboxEntry)[]
}

/** Deletes entries whose deliveries are made. */
export const clearOutbox = (store: Pick<Store, 'bulk'>, entries: readonly OutboxEntry[]): Promise<void> =>
  store.bulk(entries.map((entry) => ({ delete: keyIn(entry) })))
