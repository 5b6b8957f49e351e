import { useEffect, useRef } from 'preact/hooks'
import { sayOnly } from '../shell/announce.tsx'
import { type Read, useRead } from './useRead.ts'

export type Total = { count: number; isAtLeast: boolean }
/** What a list with pages by number answers about its pages: by cursor it has no totals. */
type Pagination = { next_cursor: string | null; total_elements?: number; total_relation?: 'EQUAL' | 'AT_LEAST' }
type Page = { pagination: Pagination }

const PAGE_LIMIT = 25

/**
 * A page of a list, by cursor, and how many match. `key` names search, filters and sort. Totals come with the first page; for a link to
 * a later page they are read beside it. `countText` says the number to those who cannot see it.
 */
export function useList<P extends Page>(
  key: string,
  cursor: string | null,
  read: (page: { page_cursor?: string; page_limit: number }, signal: AbortSignal) => Promise<P>,
  countText: (total: Total) => string = () => '',
): { page: Read<P>; total: Total | undefined } {
  const known = useRef<{ key: string; total: Total } | undefined>(undefined)
  const page = useRead(`${key}#${cursor ?? ''}`, async (signal) => {
    const isKnown = known.current?.key === key
    const [answer, first] = await Promise.all([
      read({ page_limit: PAGE_LIMIT, ...(cursor ? { page_cursor: cursor } : {}) }, signal),
      cursor && !isKnown ? read({ page_limit: 1 }, signal) : undefined,
    ])
    const { total_elements: count, total_relation: relation } = (first ?? answer).pagination
    if (count !== undefined) known.current = { key, total: { count, isAtLeast: relation === 'AT_LEAST' } }
    return answer
  })
  const total = known.current?.total
  const text = total && !page.isOld ? countText(total) : ''
  useEffect(() => {
    if (text) sayOnly(text)
  }, [text, key])
  return { page, total }
}
