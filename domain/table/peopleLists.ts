import { compareBytes } from '../base/text.ts'
import { sortKeyIn, userOfRow } from './keys.ts'
import { all } from './reader.ts'
import { type Item, type Key, type Page, type Range, readEach, type Store } from './store.ts'

// Lists of users, read whole or looked up user by user, whichever is cheaper.

/** A list of users, its size by a counter, and the key of a user's row in the table. */
export type PeopleList = { list: string; size: number; keyOf: (user: string) => Key }

/** Looking up one key costs half a read unit, as much as reading about ROWS_PER_KEY rows of an index. */
const ROWS_PER_KEY = 27

/** Reads lists of users by one index. A list that was read whole is not read again. */
export type ListReader = ReturnType<typeof listReader>

export function listReader(store: Pick<Store, 'query' | 'getEventual'>, index: string) {
  const wholeLists = new Map<string, Promise<Item[]>>()
  const whole = ({ list }: Pick<PeopleList, 'list'>): Promise<Item[]> => {
    const rows = wholeLists.get(list) ?? all(store, { index, hash: list })
    wholeLists.set(list, rows)
    return rows
  }
  return {
    /** All rows of a list. */
    whole,
    /** The rows of these users in a list: looked up one by one, or found in the whole list if that is cheaper. */
    async among(one: PeopleList, ids: ReadonlySet<string>): Promise<Map<string, Item>> {
      const isWhole = wholeLists.has(one.list) || isCheaperWhole(one, ids.size)
      const rows = isWhole ? await whole(one) : await readEach({ get: store.getEventual }, [...ids].map(one.keyOf))
      return new Map(rows.map((row) => [userOfRow(row), row] as const).filter(([id]) => ids.has(id)))
    },
    /** A page of a range of a list: of the rows in memory if it was read whole, else from a store. */
    async query(range: Range, pages: Pick<Store, 'query'> = store): Promise<Page> {
      const rows = wholeLists.get(range.hash)
      // A read that has begun page by page continues like that.
      if (!rows || range.after) return pages.query(range)
      const { from, to, descending } = range
      const isWithin = (row: Item): boolean =>
        (from === undefined || compareBytes(sortKeyIn(row, index), from) > 0) &&
        (to === undefined || compareBytes(sortKeyIn(row, index), to) <= 0)
      const items = (await rows).filter(isWithin)
      return { items: descending ? items.reverse() : items, count: items.length }
    },
  }
}

/** Whether reading a whole list costs less than looking up this number of people in it. */
export const isCheaperWhole = ({ size }: PeopleList, people: number): boolean => people * ROWS_PER_KEY > size

/** About how many rows it costs to read these people in lists. */
export const costOfAmong = (lists: readonly PeopleList[], people: number): number =>
  lists.reduce((sum, { size }) => sum + Math.min(size, people * ROWS_PER_KEY), 0)
