import { userOfRow } from './keys.ts'
import { all, type Item, type Key, type Page, type Range, type Store } from './store.ts'

/** A list of people in the indexes: how many are in it, by its counter, and the key under which it holds somebody. */
export type PeopleList = { list: string; size: number; keyOf: (user: string) => Key }

/** One key costs half a read unit, for which an index gives about so many rows. */
const ROWS_PER_KEY = 27

/** Reads lists of people by one index, each only as far as it is asked for, and none twice that has been read whole. */
export type ListReader = ReturnType<typeof listReader>

export function listReader(store: Pick<Store, 'query' | 'getSoon'>, index: string) {
  const read = new Map<string, Promise<Item[]>>()
  const whole = ({ list }: Pick<PeopleList, 'list'>): Promise<Item[]> => {
    const rows = read.get(list) ?? all(store, { index, hash: list })
    read.set(list, rows)
    return rows
  }
  const lookedUp = async ({ keyOf }: PeopleList, ids: readonly string[]): Promise<Item[]> =>
    (await Promise.all(ids.map((id) => store.getSoon(keyOf(id))))).filter((item) => item !== undefined)

  return {
    /** All rows of a list. */
    whole,
    /** Those of these people who are in a list: a few are looked up, many compared with all of it. */
    async among(one: PeopleList, ids: ReadonlySet<string>): Promise<Map<string, Item>> {
      if (ids.size === 0) return new Map()
      const isRead = read.has(one.list) || isCheaperWhole(one, ids.size)
      const rows = isRead ? await whole(one) : await lookedUp(one, [...ids])
      return new Map(rows.map((row) => [userOfRow(row), row] as const).filter(([id]) => ids.has(id)))
    },
    /** Pages of ranges that are lists, out of what has been read already where that is all of one. */
    async query(range: Range): Promise<Page> {
      const known = read.get(range.hash)
      if (!known) return store.query(range)
      const items = range.descending ? (await known).toReversed() : await known
      return { items, count: items.length }
    },
  }
}

/** Whether reading a list costs less than looking up so many people in it. */
export const isCheaperWhole = ({ size }: PeopleList, people: number): boolean => people * ROWS_PER_KEY > size
