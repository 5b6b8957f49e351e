import { nextPage, type QueryStore, type ReadPosition } from './reader.ts'
import type { Item, Range } from './store.ts'

// A walk through ranges, a page at a time, that goes on later where it was.

/** Where a walk through ranges is, as long work stores it: in the range with the index `part`, after the key `after`. */
export type WalkPosition = { part: number; after: Record<string, unknown> | null }

/** The next page of a walk through ranges that follow each other, and where the walk goes on: at its end behind the last range. */
export async function walkOn(
  store: QueryStore,
  ranges: readonly Range[],
  { part, after }: WalkPosition,
  limit: number,
): Promise<{ items: Item[]; position: WalkPosition }> {
  const position: ReadPosition = { ranges: ranges.slice(part), limit, ...(after ? { after } : {}) }
  const page = await nextPage(store, position, { limit })
  return { items: page.items, position: page.next ? { part, after: page.next } : { part: part + 1, after: null } }
}
