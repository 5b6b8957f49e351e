import type { Item, Page, Range, Store } from './store.ts'

// The reader: all rows of a range, page after page, only as far as the loop over them goes. merge.ts reads several ranges in one order.

export type QueryStore = Pick<Store, 'query'>

/** The most rows to ask for in a first page: DynamoDB Local looks at all of them, however few fit the page. */
export const FIRST_LIMIT = 2000
/** No page of DynamoDB holds more rows. */
const MOST_ROWS = 8000
/** The fewest rows of a page: after a page of a few large rows, thousands of small ones may follow. */
const FEWEST_ROWS = 100

/** Where the read of some ranges is; each range follows the one before. */
export type ReadPosition = {
  /** The ranges that are left. */
  ranges: readonly Range[]
  /** The last key that was read of the first of them. */
  after?: Record<string, unknown>
  /** The most rows to ask for in the next page. */
  limit: number
}

/** Reads the next page. */
export const nextPage = (
  store: QueryStore,
  { ranges: [range], after }: ReadPosition,
  how: Pick<Range, 'limit' | 'countOnly'>,
) => store.query({ ...(range as Range), ...how, ...(after ? { after } : {}) })

/** Moves a position to the end of a page that asked for so many rows. */
export function advance(position: ReadPosition, page: Page, asked: number): void {
  position.limit = limitAfter(asked, page, position.limit)
  if (page.next) position.after = page.next
  else {
    position.ranges = position.ranges.slice(1)
    delete position.after
  }
}

/**
 * The most rows to ask for in the next page. If a page ended before its limit, it was full by its bytes, and so will the next
 * ones be. An empty page says nothing about them.
 */
function limitAfter(asked: number, { count, next }: Page, limit: number): number {
  if (!next) return limit
  if (count > 0 && count < asked) return count
  return limit === FIRST_LIMIT && asked === limit ? MOST_ROWS : limit
}

/** The pages of a range, of at most its `limit`. Before each one, `wanted` may ask for fewer rows. */
export async function* pagesOf(
  store: QueryStore,
  { limit = FIRST_LIMIT, ...range }: Range,
  wanted = (): number => Number.POSITIVE_INFINITY,
): AsyncGenerator<Page> {
  const position: ReadPosition = { ranges: [range], limit }
  while (position.ranges.length > 0) {
    const asked = Math.min(wanted(), position.limit)
    const page = await nextPage(store, position, { limit: asked })
    advance(position, page, asked)
    position.limit = Math.max(Math.min(limit, FEWEST_ROWS), position.limit)
    yield page
  }
}

/** Everything of a range, page after page. */
export async function all(store: Pick<Store, 'query'>, range: Range): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of pagesOf(store, range)) items.push(...page.items)
  return items
}
