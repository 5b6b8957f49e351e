import { useState } from 'preact/hooks'
import { useAction } from './useAction.ts'
import { type Read, useRead } from './useRead.ts'

type Part<T> = { items: readonly T[]; next: string | null }
type ReadPart<T> = (page: { page_cursor?: string; page_limit: number }, signal: AbortSignal | null) => Promise<Part<T>>

export type GrowingList<T> = {
  first: Read<Part<T>>
  items: readonly T[]
  hasMore: boolean
  /** Whether somebody has asked for more. Reading it anew shows the beginning. */
  isGrown: boolean
  more: () => void
  isBusy: boolean
  problem: unknown
}

/** A list within a screen that grows by "show more", for what is no page: a history, the recipients of a task. */
export function useGrowing<T>(key: string, read: ReadPart<T>, pageLimit = 25): GrowingList<T> {
  const first = useRead(key, (signal) => read({ page_limit: pageLimit }, signal), { keep: false })
  const [further, setFurther] = useState<{ of: Part<T> | undefined; items: T[]; next: string | null }>()
  const { run, isBusy, problem } = useAction()
  // Reading the beginning anew starts anew.
  const grown = further && further.of === first.data ? further : undefined
  const next = grown ? grown.next : (first.data?.next ?? null)
  const items = [...(first.data?.items ?? []), ...(grown?.items ?? [])]
  const more = () =>
    run(async () => {
      const part = await read({ page_cursor: next ?? '', page_limit: pageLimit }, null)
      setFurther({ of: first.data, items: [...(grown?.items ?? []), ...part.items], next: part.next })
    })
  return { first, items, hasMore: next !== null, isGrown: grown !== undefined, more, isBusy, problem }
}
