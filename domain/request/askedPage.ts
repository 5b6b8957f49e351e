import { refuseFault } from '../base/errors.ts'
import type { Context } from './context.ts'
import { comparing, type Position, type Positioned, type Sorting, type SortParameter, sortings } from './sorting.ts'

// Which page a call asks for, and what its answer says about it. There are three forms: an OFFSET LIST has pages by number, with
// totals, and by cursor (askedPage); a CURSOR LIST has only cursors (askedCursor); SCIM has both, as other parameters
// (askedIndex). readPage.ts reads the page.

/** Items on a page if the call names no limit. */
const DEFAULT_LIMIT = 25

/** Which items a page has: `take` items, after the first `skip` ones, or with a cursor after the position `after`. */
export type Window = {
  skip: number
  take: number
  after?: Position | undefined
  /** A page by number has a budget: see limitedPage. A page by cursor has none. */
  isByNumber?: boolean
  /** Where the previous page ended, if that is remembered and the list still has `total` items. */
  endOfPreviousPage?: ((total: number) => Position | undefined) | undefined
}

/** A page that ends before this row is read from the beginning, with all segments in parallel. */
const SHALLOW = 1000

/** Whether a page is so far from the first one that the list is counted before it is read. */
export const isDeep = ({ skip, take }: Window): boolean => skip + take > SHALLOW

/** The same page, to be read from where the previous page ended, if that is remembered. */
export function afterPreviousPage(window: Window, total: number | undefined): Window {
  const after = total === undefined ? undefined : window.endOfPreviousPage?.(total)
  return after ? { ...window, skip: 0, after } : window
}

/** What the answer says about the length of a list. */
export type ListSize = {
  /** How many items there are; not shown for a page by cursor. */
  total?: number | undefined
  /** How many of them can be read, if `total` is only what was found within the budget of a search. */
  readable?: number | undefined
  /** The position of the last item shown, if there are more. */
  next: Position | undefined
}

// What all forms share.

type Caller = Pick<Context, 'seals' | 'actorId'>

/**
 * Opens the cursor of a call. It is sealed for one list, with its sort and filters, and one caller: `refusal` is the error of
 * any other. `seal` makes the cursor of the next page.
 */
async function openCursor<C>(
  caller: Caller,
  list: readonly string[],
  sealed: string | undefined,
  refusal: () => Error,
) {
  const bound = JSON.stringify([...list, caller.actorId])
  const seals = caller.seals()
  const text = sealed === undefined ? undefined : await seals.unseal(sealed, bound)
  if (sealed !== undefined && text === undefined) throw refusal()
  return {
    bound,
    content: text === undefined ? undefined : (JSON.parse(text) as C),
    seal: async (next: C | undefined) => (next ? await seals.seal(JSON.stringify(next), bound) : null),
  }
}

/** For how long it is remembered where a page by number ended. */
const REMEMBERED_MS = 60_000

/**
 * A page by number. `remember` keeps where it ended: the page after it begins there, so a walk page by page reads each row once.
 * `list` names the list, its sort, filters and caller.
 */
function pageByNumber({ pageEnds, now }: Pick<Context, 'pageEnds' | 'now'>, list: string, { skip, take }: Window) {
  const at = Date.parse(now)
  const nameOf = (items: number): string => JSON.stringify([list, items])
  return {
    window: {
      skip,
      take,
      isByNumber: true,
      endOfPreviousPage: (total: number) => {
        const end = pageEnds.get(nameOf(skip))
        return end?.total === total && Math.abs(at - end.at) < REMEMBERED_MS ? end.position : undefined
      },
    },
    remember: ({ total, next }: ListSize): void => {
      const end = skip + take
      if (next && total !== undefined && isDeep({ skip: end, take }))
        pageEnds.set(nameOf(end), { position: next, total, at })
    },
  }
}

// Offset lists.

type PageQuery = {
  page_number?: number | undefined
  page_limit?: number | undefined
  page_cursor?: string | undefined
}

/** Parameters that choose a page or how it is shown, not what is in the list. Cursors are not bound to them. */
const pageParameters = ['page_number', 'page_limit', 'page_cursor', 'embed']

/** A page of an offset list as a call asks for it, and the pagination object that goes with the answer. */
export type AskedPage<F extends string = string> = {
  sorts: Sorting<F>[]
  window: Window
  pagination: (size: ListSize) => Promise<Pagination>
}

/** Reads which page of an offset list a call asks for. `query` must have the sort, even if it is the default. */
export async function askedPage<const F extends string>(
  caller: Caller & Pick<Context, 'pageEnds' | 'now'>,
  list: readonly string[],
  query: PageQuery & { sort: readonly SortParameter<F>[] },
): Promise<AskedPage<F>> {
  const { page_number = 1, page_limit = DEFAULT_LIMIT, page_cursor } = query
  const asked = Object.entries(query).filter(([name, value]) => value !== undefined && !pageParameters.includes(name))
  const whole = [...list, JSON.stringify(asked.sort(([a], [b]) => (a < b ? -1 : 1)))]
  const detail = 'must be a cursor of this list, with the same sort and filters'
  const { bound, content, seal } = await openCursor<Position>(caller, whole, page_cursor, () => wrongCursor(detail))
  const skip = (page_number - 1) * page_limit
  const { window, remember } = pageByNumber(caller, JSON.stringify([bound, page_limit]), { skip, take: page_limit })
  return {
    sorts: sortings(query.sort),
    window: content ? { skip: 0, take: page_limit, after: content } : window,
    pagination: async (size) => {
      const cursor = { next_cursor: await seal(size.next), has_more: size.next !== undefined }
      if (content) return { page_limit, ...cursor }
      remember(size)
      return { ...totalsOf(size, page_number, page_limit), ...cursor }
    },
  }
}

const wrongCursor = (detail: string) => refuseFault('VALIDATION_ERROR', 'page_cursor', detail)

function totalsOf({ total = 0, readable }: ListSize, page_number: number, page_limit: number) {
  const total_pages = Math.ceil((readable ?? total) / page_limit)
  if (readable !== undefined && page_number > Math.max(1, total_pages))
    throw refuseFault(
      'VALIDATION_ERROR',
      'page_number',
      'must be within the matches that can be read: narrow the search',
    )
  const total_relation = readable === undefined ? ('EQUAL' as const) : ('AT_LEAST' as const)
  return { page_number, page_limit, total_pages, total_elements: total, total_relation }
}

type CursorPagination = { next_cursor: string | null; has_more: boolean }

/** The pagination object of an offset list. A page by cursor has no number and no totals. */
export type Pagination = CursorPagination & ({ page_limit: number } | ReturnType<typeof totalsOf>)

/** A page of items that are all in memory, in order, and the position of its last one, if there are more. */
export function pageOf<T>(
  all: readonly Positioned<T>[],
  sorts: readonly Sorting[],
  { skip, take, after }: Window,
): { page: T[]; next: Position | undefined } {
  const compare = comparing(sorts)
  const following = after ? all.findIndex(({ position }) => compare(position, after) > 0) : skip
  const start = following < 0 ? all.length : following
  const page = all.slice(start, start + take)
  return {
    page: page.map(({ record }) => record),
    next: start + take < all.length ? page.at(-1)?.position : undefined,
  }
}

// Cursor lists.

/** A cursor list with its sort and filters, and the position after which the next page begins. A page_cursor is this, sealed. */
export type Cursor<F> = { sort: string[]; filters: F; at?: Position }

/** A page of a cursor list as a call asks for it, and the pagination object that goes with the answer. */
export type AskedCursor<F> = {
  cursor: Cursor<F>
  limit: number
  pagination: (next: Cursor<F> | undefined) => Promise<CursorPagination>
}

/** Reads which page of a cursor list a call asks for: by its page_cursor, else the `first` one, by sort and filters. */
export async function askedCursor<F>(
  caller: Caller,
  list: readonly string[],
  { page_cursor, page_limit: limit = DEFAULT_LIMIT }: Omit<PageQuery, 'page_number'>,
  first: { sort: readonly string[]; filters: F },
): Promise<AskedCursor<F>> {
  const refusal = () => wrongCursor('must be a cursor of this list')
  const { content, seal } = await openCursor<Cursor<F>>(caller, list, page_cursor, refusal)
  return {
    cursor: content ?? { ...first, sort: [...first.sort] },
    limit,
    pagination: async (next) => ({ next_cursor: await seal(next), has_more: next !== undefined }),
  }
}

/** A function's answer has at most 6 MB; a page that would be longer ends earlier. */
const MOST_LISTED_BYTES = 5_500_000

/** How many items of these sizes in bytes fit into one answer: at least one. */
export function fitting(weights: readonly number[]): number {
  let bytes = 0
  const beyond = weights.findIndex((weight, index) => {
    bytes += weight
    return index > 0 && bytes > MOST_LISTED_BYTES
  })
  return beyond < 0 ? weights.length : beyond
}

// SCIM.

/** A page of a SCIM list: from an index on, or with a cursor; an empty one asks for the first page by cursor. */
type IndexQuery = { startIndex: number; count: number; cursor: string | undefined; bound: readonly string[] }

/** A page of a SCIM list as a request asks for it, and the cursor of the next one; pages by index have none. */
export type AskedIndex = { window: Window; nextCursor: (size: ListSize) => Promise<string | undefined> }

/** Reads which page of a SCIM list a request asks for. `bound` names the list, its filter and order. */
export async function askedIndex(
  caller: Caller & Pick<Context, 'pageEnds' | 'now'>,
  { startIndex, count: take, cursor, bound: list }: IndexQuery,
  refusal: () => Error,
): Promise<AskedIndex> {
  const { bound, content, seal } = await openCursor<Position>(caller, list, cursor || undefined, refusal)
  const { window, remember } = pageByNumber(caller, bound, { skip: startIndex - 1, take })
  if (cursor !== undefined)
    return {
      window: { skip: 0, take, after: content },
      nextCursor: async ({ next }) => (await seal(next)) ?? undefined,
    }
  return {
    window,
    nextCursor: async (size) => {
      remember(size)
      return undefined
    },
  }
}
