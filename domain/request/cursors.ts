import { faulty } from '../base/errors.ts'
import type { Seals } from './context.ts'
import type { Position } from './cursorList.ts'

/** What a cursor carries: the sort and the filters of its list, and where that list goes on. */
export type Cursor<F> = { sort: string[]; filters: F; at: Position }

/** Which list a cursor is for, and whose: it is good for nothing else. */
type Owner = { seals: Seals; actorId: string }

const bound = ({ actorId }: Owner, list: readonly string[]): string => JSON.stringify([...list, actorId])

/** What a call's page_cursor says, if it has one; refuses one that was not made here, for this list and this caller. */
export function openCursor<F>(
  owner: Owner,
  list: readonly string[],
  sealed: string | undefined,
): Cursor<F> | undefined {
  if (sealed === undefined) return undefined
  const text = owner.seals.unseal(sealed, bound(owner, list))
  if (text === undefined) throw faulty('VALIDATION_ERROR', 'page_cursor', 'is none of this list')
  return JSON.parse(text) as Cursor<F>
}

/** The pagination object of a cursor list. */
export function cursorPagination<F>(owner: Owner, list: readonly string[], next: Cursor<F> | undefined) {
  return {
    next_cursor: next ? owner.seals.seal(JSON.stringify(next), bound(owner, list)) : null,
    has_more: next !== undefined,
  }
}
