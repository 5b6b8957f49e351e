/** Which page of an offset list is asked for. */
export type PageQuery = { page_number?: number | undefined; page_limit?: number | undefined }

const DEFAULT_LIMIT = 25

/** How many items an offset page passes over and holds. */
export function window({ page_number = 1, page_limit = DEFAULT_LIMIT }: PageQuery) {
  return { skip: (page_number - 1) * page_limit, take: page_limit }
}

/** From so many items on, the total is asked for before they are read. */
const DEEP = 10_000

/** Whether a page lies far behind the last one, and so would read every item to find that out. */
export const isBehindAll = async ({ skip }: { skip: number }, total: Promise<number>): Promise<boolean> =>
  skip >= DEEP && skip >= (await total)

/** The pagination object of an offset list. */
export function paginationOf({ page_number = 1, page_limit = DEFAULT_LIMIT }: PageQuery, total: number) {
  return { page_number, page_limit, total_pages: Math.ceil(total / page_limit), total_elements: total }
}
