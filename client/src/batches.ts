import type { Done } from './errors.ts'

/** What a batch answers for one of its items. */
export type Item = { id: unknown; status: number; error?: { done?: Done } }

/** The positions of items that can be sent again. Of several for one record, one would overtake those after it. */
export function busyItems(items: readonly Item[]): number[] {
  const ids = items.map(({ id }) => JSON.stringify(id))
  const isOnce = (id: unknown) => ids.filter((one) => one === JSON.stringify(id)).length === 1
  return items.flatMap(({ id, status, error }, n) => (status === 429 && error?.done === false && isOnce(id) ? [n] : []))
}

/** An item of which another attempt may have done something. If it is refused, that may be the reason. */
export const withDoubt = (item: Item, done: Done): Item =>
  item.error && done ? { ...item, error: { ...item.error, done: item.error.done || done } } : item
