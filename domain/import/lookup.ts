import { slices } from '../base/sideBySide.ts'
import type { Item, Key, Store } from '../table/store.ts'
import { nameOf } from '../table/store.ts'
import { doggedly } from './patience.ts'

/** What is stored under a key, of the keys that have been read. */
export type Lookup = (key: Key) => Item | undefined

/** Keys on their way at once: as many requests of 100 as a store answers side by side. */
const AT_ONCE = 1_200

/** Bytes that a store's keys may have: what names a record by more names none, and the store is not to be asked for it. */
const LONGEST = { pk: 2_048, sk: 1_024 }
const fits = (text: string, bytes: number): boolean => text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes
const mayBe = ({ pk, sk }: Key): boolean => fits(pk, LONGEST.pk) && fits(sk, LONGEST.sk)

/** Reads all of the keys, so many at a time. */
export async function lookup(store: Pick<Store, 'get'>, keys: Iterable<Key>): Promise<Lookup> {
  const wanted = [...new Map([...keys].filter(mayBe).map((key) => [nameOf(key), key])).values()]
  const found = new Map<string, Item>()
  for (const slice of slices(wanted, AT_ONCE))
    for (const item of await doggedly(() => Promise.all(slice.map((key) => store.get(key)))))
      if (item) found.set(nameOf(item), item)
  return (key) => found.get(nameOf(key))
}
