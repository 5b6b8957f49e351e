import type { Item, Range, Store } from './store.ts'

/** Rows of each range to begin with: beside a rare word a common one must not cost a whole page. */
const FIRST_ROWS = 500

/**
 * Reads several ranges in step, a page of each at a time, and stops with the one that is exhausted first; of several,
 * the one with the fewest rows.
 */
export async function firstExhausted(
  store: Pick<Store, 'query'>,
  ranges: readonly Range[],
): Promise<{ index: number; rows: Item[] }> {
  const first = ranges.length > 1 ? { limit: FIRST_ROWS } : {}
  const read = ranges.map((range) => ({
    range,
    next: { ...range, ...first } as Range,
    rows: [] as Item[],
    isDone: false,
  }))
  for (;;) {
    await Promise.all(
      read.map(async (one) => {
        const page = await store.query(one.next)
        one.rows.push(...page.items)
        if (page.next) one.next = { ...one.range, after: page.next }
        else one.isDone = true
      }),
    )
    const [shortest] = read
      .map(({ rows, isDone }, index) => ({ index, rows, isDone }))
      .filter(({ isDone }) => isDone)
      .sort((a, b) => a.rows.length - b.rows.length)
    if (shortest) return shortest
  }
}
