import DataLoader from 'dataloader'
import { textOfKey } from '../table/items.ts'
import type { Item, Key, WorkStore } from '../table/store.ts'

/** Attempts end one by one. Each waits this long before it is written; together they take far fewer requests. */
const COMBINE_MS = 10

type Change = { put: Item } | { delete: Key }
const nameOfChange = (change: Change): string => textOfKey('put' in change ? change.put : change.delete)

/** The same store, but `bulk` writes all changes of COMBINE_MS in one call. If an item changes twice in it, the last change counts. */
export function combineWrites(store: WorkStore): WorkStore {
  const waiting = new DataLoader<readonly Change[], true>(
    async (all) => {
      const last = new Map(all.flat().map((change) => [nameOfChange(change), change]))
      await store.bulk([...last.values()])
      return all.map(() => true)
    },
    { cache: false, batchScheduleFn: (write) => void setTimeout(write, COMBINE_MS) },
  )
  return {
    ...store,
    bulk: async (changes) => {
      await waiting.load(changes)
    },
  }
}
