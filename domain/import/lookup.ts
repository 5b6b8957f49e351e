import { nameOf } from '../context.ts'
import type { Item, Key, Store } from '../store/store.ts'

/** What is stored under a key, of the keys that have been read. */
export type Lookup = (key: Key) => Item | undefined

/** Keys on their way at once: as many requests of 100 as a store answers side by side. */
const AT_ONCE = 1_200

/** Reads all of the keys, so many at a time. */
export async function lookup(store: Pick<Store, 'get'>, keys: Iterable<Key>): Promise<Lookup> {
  const wanted = [...new Map([...keys].map((key) => [nameOf(key), key])).values()]
  const found = new Map<string, Item>()
  for (let start = 0; start < wanted.length; start += AT_ONCE)
    for (const item of await Promise.all(wanted.slice(start, start + AT_ONCE).map((key) => store.get(key))))
      if (item) found.set(nameOf(item), item)
  return (key) => found.get(nameOf(key))
}
