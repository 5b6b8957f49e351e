import type { Done } from './errors.ts'

/** What a batch answers for one of its items. */
export type Item = { id: unknown; status: number; error?: { done?: Done } }

/** The positions of items that can be sent again. Of several for one record, one would overtake those after it. */
export function busyItems(items: readonly Item[]): number[] {
  const ids = items.map(({ id }) => JSON.stringify(id))
  const isBusy = ({ status, error }: Item) => status === 429 && error?.done === false
  return ids.flatMap((id, n) => (isBusy(items[n] as Item) && ids.indexOf(id) === ids.lastIndexOf(id) ? [n] : []))
}

/** Says of the refused items what another attempt may have done: they may be refused because of that. */
export const withDoubt = (items: readonly Item[], done: Done): Item[] =>
  items.map((item) =>
    item.error && done ? { ...item, error: { ...item.error, done: item.error.done || done } } : item,
  )
