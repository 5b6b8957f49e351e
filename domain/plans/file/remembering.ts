import { textOfKey } from '../../table/items.ts'
import type { Item, Store } from '../../table/store.ts'

/** A store that reads each item once: rows name the same few groups and definitions again and again. It is for one run of a check. */
export function remembering(store: Store): Store {
  const known = new Map<string, Promise<Item | undefined>>()
  return {
    ...store,
    get: (key) => {
      const name = textOfKey(key)
      const found = known.get(name) ?? store.get(key)
      known.set(name, found)
      return found
    },
  }
}
