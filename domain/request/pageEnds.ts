import { newestOnly } from '../base/memory.ts'
import type { Position } from './sorting.ts'

/** The position of the last item of a page, how many items the list had, and when that was, in milliseconds. */
type PageEnd = { position: Position; total: number; at: number }

const REMEMBERED_MS = 60_000
/** An end takes up to a few kilobytes: its position, and the filters in its name. */
const MOST_ENDS = 500

/**
 * Where the last pages by number ended, as this instance remembers it. The next page begins at that position, so a walk page by
 * page reads each row once. The name of an end contains everything that decides which items come before it.
 */
export type PageEnds = ReturnType<typeof newPageEnds>

export function newPageEnds() {
  const ends = newestOnly<string, PageEnd>(MOST_ENDS)
  return {
    remember: ends.set,
    /** Where a page ended within the last minute, if the list has as many items as then. */
    find: (name: string, { total, at }: Omit<PageEnd, 'position'>): Position | undefined => {
      const end = ends.get(name)
      return end && end.total === total && Math.abs(at - end.at) < REMEMBERED_MS ? end.position : undefined
    },
  }
}
