import { nameOf } from '../context.ts'
import type { Item, Key, Store } from '../store/store.ts'
import { doggedly } from './patience.ts'
import { slices } from './sideBySide.ts'

/** What is stored under a key, of the keys that have been read. */
export type Lookup = (key: Key) => Item | undefined

/** Keys on their way at once: as many requests of 100 as a store answers side by side. */
const AT_ONCE = 1_200

/** Reads all of the keys, so many at a time. */
export async function lookup(store: Pick<Store, 'get'>, keys: Iterable<Key>): Promise<Lookup> {
  const wanted = [...new Map([...keys].map((key) => [nameOf(key), key])).values()]
  const found = new Map<string, Item>()
  for (const slice of slices(wanted, AT_ONCE))
    for (const item of await doggedly(() => Promise.all(slice.map((key) => store.get(key)))))
      if (item) found.set(nameOf(item), item)
  return (key) => found.get(nameOf(key))
}
