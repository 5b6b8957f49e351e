import { keyIn } from '../table/items.ts'
import { outbox } from '../table/keys.ts'
import type { OutboxEntry } from '../table/outbox.ts'
import { all } from '../table/reader.ts'
import type { Item, WorkStore } from '../table/store.ts'

/** All entries, in no order. */
export async function readOutbox(store: Pick<WorkStore, 'query'>): Promise<OutboxEntry[]> {
  const shards = await Promise.all(outbox.map((shard) => all(store, shard)))
  return shards.flat() as (Item & OutboxEntry)[]
}

/** Deletes entries whose deliveries are made. */
export const clearOutbox = (store: Pick<WorkStore, 'bulk'>, entries: readonly OutboxEntry[]): Promise<void> =>
  store.bulk(entries.map((entry) => ({ delete: keyIn(entry) })))
