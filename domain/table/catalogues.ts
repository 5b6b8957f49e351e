import { type Catalogue, catalogue as inCatalogue } from './keys.ts'
import { all } from './reader.ts'
import type { Item, Store } from './store.ts'

/** A kind of records with a catalogue: see defineRecord. */
type Listed<T> = { catalogue: Catalogue | undefined; ofRow: (row: Item) => T }

/** All records of a kind that has a catalogue, as they were a moment ago. */
export const readCatalogue = async <T>(store: Pick<Store, 'query'>, { catalogue, ofRow }: Listed<T>): Promise<T[]> =>
  catalogue ? (await all(store, inCatalogue(catalogue))).map(ofRow) : []
