import { faulty } from '../base/errors.ts'
import type { Context, Seals } from './context.ts'
import { comparing, type Position, type Positioned, type Sorting, type SortValue, sortings } from './sorting.ts'

// Which page a call asks for, and what its answer says about it. pager.ts reads the page.

/** Items on a page if the call names no limit. */
export const DEFAULT_LIMIT = 25

/** The page of an offset list that a call asks for: by its number, or by the cursor of the previous page. */
type PageQuery = {
  page_number?: number | undefined
  page_limit?: number | undefined
  page_cursor?: string | undefined
}

/** Which items a page has: `take` items, after the first `skip` ones, or with a cursor after the position `after`. */
export type Window = {
  skip: number
  take: number
  after?: Position | undefined
  /** A page by number has a budget: see limitedPage. A page by cursor has none. */
  isByNumber?: boolean
  /** Where the previous page ended, if that is remembered and the list still has `total` items. */
  previousEnd?: ((total: number) => Position | undefined) | undefined
}

/** A page that ends before this row is read from the beginning, with all segments in parallel. */
const SHALLOW = 1000

/** Whether a page is so far from the first one that the list is counted before it is read. */
export const isDeep = ({ skip, take }: Window): boolean => skip + take > SHALLOW

/** The same page, to be read from where the previous page ended, if that is remembered. */
export function fromPreviousEnd(window: Window, total: number | undefined): Window {
  const after = total === undefined ? undefined : window.previousEnd?.(total)
  return after ? { ...window, skip: 0, after } : window
}

/** What the pagination object says about a list. */
export type Extent = {
  /** How many items there are; not counted for a page by cursor. */
  total?: number | undefined
  /** How many of them can be read, if `total` is only what was found within the budget of a search. */
  readable?: number | undefined
  /** The position of the last item shown, if there are more. */
  next: Position | undefined
}

/** Parameters that choose a page or how it is shown, not what is in the list. Cursors are not bound to them. */
const pageParameters = ['page_number', 'page_limit', 'page_cursor', 'embed']

/** A page of an offset list as a call asks for it, and the pagination object that goes with the answer. */
export type AskedPage<F extends string = string> = {
  sorts: Sorting<F>[]
  window: Window
  pagination: (extent: Extent) => Promise<Pagination>
}

/**
 * Reads which page of an offset list a call asks for. A cursor is sealed for this list, sort, filters and caller: with
 * others it is refused. `query` must have the sort, even if it is the default.
 */
export async function askedPage<const F extends string>(
  sealer: Sealer & Pick<Context, 'pageEnds' | 'now'>,
  list: readonly string[],
  query: PageQuery & { sort: readonly SortValue<F>[] },
): Promise<AskedPage<F>> {
  const { page_number = 1, page_limit = DEFAULT_LIMIT, page_cursor } = query
  const asked = Object.entries(query).filter(([name, value]) => value !== undefined && !pageParameters.includes(name))
  const bound = boundTo(sealer, [...list, JSON.stringify(asked.sort(([a], [b]) => (a < b ? -1 : 1)))])
  const seals = sealer.seals()
  const sealed = page_cursor === undefined ? undefined : await seals.unseal(page_cursor, bound)
  if (page_cursor !== undefined && sealed === undefined)
    throw faulty('VALIDATION_ERROR', 'page_cursor', 'must be a cursor of this list, with the same sort and filters')
  const after = sealed === undefined ? undefined : (JSON.parse(sealed) as Position)
  const cursorOf = async ({ next }: Extent) => ({
    next_cursor: next ? await seals.seal(JSON.stringify(next), bound) : null,
    has_more: next !== undefined,
  })
  const [skip, at] = [(page_number - 1) * page_limit, Date.parse(sealer.now)]
  const endName = (items: number): string => JSON.stringify([bound, page_limit, items])
  const byNumber = {
    isByNumber: true,
    previousEnd: (total: number) => sealer.pageEnds.find(endName(skip), { total, at }),
  }
  const noteEnd = ({ total, next }: Extent): void => {
    const behind = skip + page_limit
    if (next && total !== undefined && isDeep({ skip: behind, take: page_limit }))
      sealer.pageEnds.note(endName(behind), { position: next, total, at })
  }
  return {
    sorts: sortings(query.sort),
    window: { skip, take: page_limit, ...(after ? { after } : byNumber) },
    pagination: async (extent) => {
      if (!after) noteEnd(extent)
      const totals = after ? { page_limit } : totalsOf(extent, page_number, page_limit)
      return { ...totals, ...(await cursorOf(extent)) }
    },
  }
}

function totalsOf({ total = 0, readable }: Extent, page_number: number, page_limit: number) {
  const total_pages = Math.ceil((readable ?? total) / page_limit)
  if (readable !== undefined && page_number > Math.max(1, total_pages))
    throw faulty('VALIDATION_ERROR', 'page_number', 'must be within the matches that can be read: narrow the search')
  const total_relation = readable === undefined ? ('EQUAL' as const) : ('AT_LEAST' as const)
  return { page_number, page_limit, total_pages, total_elements: total, total_relation }
}

/** The pagination object of an offset list. A page by cursor has no number and no totals. */
export type Pagination = CursorPagination & ({ page_limit: number } | ReturnType<typeof totalsOf>)

/** A page of items that are all in memory, in order, and the position of its last one, if there are more. */
export function pageOf<T>(
  all: readonly Positioned<T>[],
  sorts: readonly Sorting[],
  { skip, take, after }: Window,
): { page: T[]; next: Position | undefined } {
  const compare = comparing(sorts)
  const behind = after ? all.findIndex(({ position }) => compare(position, after) > 0) : skip
  const start = behind < 0 ? all.length : behind
  const page = all.slice(start, start + take)
  return {
    page: page.map(({ record }) => record),
    next: start + take < all.length ? page.at(-1)?.position : undefined,
  }
}

/**
 * A cursor list with its sort and filters, and the position after which the next page begins. A page_cursor is this,
 * sealed.
 */
export type Cursor<F> = { sort: string[]; filters: F; at?: Position }

/** Seals cursors. A cursor is good for one list and one caller. */
type Sealer = { seals: () => Seals; actorId: string }

const boundTo = ({ actorId }: Sealer, list: readonly string[]): string => JSON.stringify([...list, actorId])

/**
 * The list that a call asks for: by its page_cursor, else by its sort and filters. Refuses the cursor of another list.
 */
export async function openCursor<F>(
  sealer: Sealer,
  list: readonly string[],
  sealed: string | undefined,
  first: { sort: readonly string[]; filters: F },
): Promise<Cursor<F>> {
  const seals = sealer.seals()
  if (sealed === undefined) return { ...first, sort: [...first.sort] }
  const text = await seals.unseal(sealed, boundTo(sealer, list))
  if (text === undefined) throw faulty('VALIDATION_ERROR', 'page_cursor', 'must be a cursor of this list')
  return JSON.parse(text) as Cursor<F>
}

type CursorPagination = Awaited<ReturnType<typeof cursorPagination>>

/** The pagination object of a cursor list. */
export const cursorPagination = async <F>(sealer: Sealer, list: readonly string[], next: Cursor<F> | undefined) => ({
  next_cursor: next ? await sealer.seals().seal(JSON.stringify(next), boundTo(sealer, list)) : null,
  has_more: next !== undefined,
})

/** A function's answer has at most 6 MB; a page that would be longer ends earlier. */
const MOST_BYTES = 5_500_000

/** How many items of these sizes in bytes fit into one answer: at least one. */
export function fitting(weights: readonly number[]): number {
  let bytes = 0
  const beyond = weights.findIndex((weight, index) => {
    bytes += weight
    return index > 0 && bytes > MOST_BYTES
  })
  return beyond < 0 ? weights.length : beyond
}
