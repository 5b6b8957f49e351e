import { compareBytes } from '../base/text.ts'
import { userOfRow } from './keys.ts'
import { placeIn } from './places.ts'
import { all, type Item, type Key, type Page, type Range, readEach, type Store } from './store.ts'

/** A list of users: its size, as a counter has it, and the key of a user's row in the table. */
export type PeopleList = { list: string; size: number; keyOf: (user: string) => Key }

/** Looking up one key costs as much as reading about so many rows of an index: half a read unit. */
const ROWS_PER_KEY = 27

/** Reads lists of users by one index. A list that was read whole is not read again. */
export type ListReader = ReturnType<typeof listReader>

export function listReader(store: Pick<Store, 'query' | 'getSoon'>, index: string) {
  const read = new Map<string, Promise<Item[]>>()
  const whole = ({ list }: Pick<PeopleList, 'list'>): Promise<Item[]> => {
    const rows = read.get(list) ?? all(store, { index, hash: list })
    read.set(list, rows)
    return rows
  }
  return {
    /** All rows of a list. */
    whole,
    /** The rows of these users in a list: looked up one by one, or found in the whole list if that is cheaper. */
    async among(one: PeopleList, ids: ReadonlySet<string>): Promise<Map<string, Item>> {
      const isRead = read.has(one.list) || isCheaperWhole(one, ids.size)
      const rows = isRead ? await whole(one) : await readEach({ get: store.getSoon }, [...ids].map(one.keyOf))
      return new Map(rows.map((row) => [userOfRow(row), row] as const).filter(([id]) => ids.has(id)))
    },
    /** A page of a range that is a list; without a request where that list was read whole. */
    async query(range: Range): Promise<Page> {
      const known = read.get(range.hash)
      // What was begun page by page goes on like that.
      if (!known || range.after) return store.query(range)
      const { from, to, descending } = range
      const isWithin = (row: Item): boolean =>
        (from === undefined || compareBytes(placeIn(row, index), from) > 0) &&
        (to === undefined || compareBytes(placeIn(row, index), to) <= 0)
      const items = (await known).filter(isWithin)
      return { items: descending ? items.reverse() : items, count: items.length }
    },
  }
}

/** Whether reading a whole list costs less than looking up so many users in it. */
export const isCheaperWhole = ({ size }: PeopleList, people: number): boolean => people * ROWS_PER_KEY > size

/** How many rows reading these people in lists costs, about. */
export const costOfAmong = (lists: readonly PeopleList[], people: number): number =>
  lists.reduce((sum, { size }) => sum + Math.min(size, people * ROWS_PER_KEY), 0)
