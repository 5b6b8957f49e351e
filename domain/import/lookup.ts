import { chunksOf } from '../base/parallel.ts'
import { textOfKey } from '../table/items.ts'
import type { Item, Key, Store } from '../table/store.ts'
import { isRefused, repeat } from './importRetries.ts'

/** Returns the item that is stored under a key, for keys that have been read. */
export type Lookup = (key: Key) => Item | undefined

/** Keys that are read at once: as many requests of 100 keys as the database answers at the same time. */
const KEYS_AT_ONCE = 1_200

/** Reads all of the keys. As reading changes nothing, it is repeated also when the database cannot be reached. */
export async function lookup(store: Pick<Store, 'get'>, keys: Iterable<Key>): Promise<Lookup> {
  const wanted = [...new Map([...keys].map((key) => [textOfKey(key), key])).values()]
  const found = new Map<string, Item>()
  for (const chunk of chunksOf(wanted, KEYS_AT_ONCE)) {
    const read = () => Promise.all(chunk.map((key) => store.get(key)))
    for (const item of await repeat(read, (error) => isRefused(error, 'SERVICE_UNAVAILABLE')))
      if (item) found.set(textOfKey(item), item)
  }
  return (key) => found.get(textOfKey(key))
}
