import { expect } from 'vitest'
import { type Any, call } from './call.ts'

type Asked = { path?: Record<string, string>; query?: Record<string, unknown>; as?: string }

/** All items of an offset list by cursor, from the first page or from a cursor; the limits alternate. */
export async function walkByCursor(
  endpoint: string,
  { path, query = {}, as }: Asked,
  limits: readonly number[],
  from?: string,
): Promise<Any[]> {
  const items: Any[] = []
  let cursor: string | null | undefined = from
  for (let n = 0; cursor !== null; n++) {
    const page_limit = limits[n % limits.length] as number
    const page = cursor === undefined ? { page_limit } : { page_limit, page_cursor: cursor }
    const { status, body } = await call(endpoint, {
      path: path ?? {},
      query: { ...query, ...page },
      ...(as ? { as } : {}),
    })
    expect([status, body.error_code]).toEqual([200, undefined])
    const { pagination, ...rest } = body
    const [found] = Object.values(rest).filter(Array.isArray) as [Any[]]
    expect(pagination.has_more).toBe(pagination.next_cursor !== null)
    if (cursor !== undefined) expect(Object.keys(pagination).sort()).toEqual(['has_more', 'next_cursor', 'page_limit'])
    expect(pagination.page_limit).toBe(page_limit)
    if (pagination.has_more) expect(found, 'a page is full unless it is the last').toHaveLength(page_limit)
    items.push(...found)
    cursor = pagination.next_cursor
  }
  return items
}
