import { compareBytes } from '../../domain/base/text.ts'
import { sortOf } from '../../domain/table/expressions.ts'
import { type Item, type Key, keyIn, nameOf, type Page, type Range, type Store } from '../../domain/table/store.ts'
import { entryOf, itemSize } from './capacity.ts'
import { tableIndexes } from './ledger.ts'

const MEGABYTE = 1024 * 1024

type Row = { item: Item; bytes: number }

/** What was asked of a store: trips and rows by index and list. */
export type Reads = Map<string, { trips: number; rows: number }>

/**
 * Items in memory, to be read as DynamoDB on AWS reads them: a page of an index ends after a megabyte of projected
 * attributes. So tens of thousands of rows are read in a moment, and trips are counted by AWS's rules.
 */
export async function memoryStore(items: readonly Item[], pageBytes = MEGABYTE) {
  const indexes = new Map((await tableIndexes()).map((index) => [index.name, index]))
  const byKey = new Map(items.map((item) => [nameOf(item), item]))
  const lists = new Map<string, Row[]>()
  const reads: Reads = new Map()

  const hashOf = (item: Item, index: string | undefined): unknown =>
    index === undefined ? item.pk : item[indexes.get(index)?.hash ?? '']
  const placeIn = (item: Item, index: string | undefined): string =>
    String(index === undefined ? item.sk : item[sortOf(index)])

  function listOf({ index, hash }: Pick<Range, 'index' | 'hash'>): Row[] {
    const name = `${index} ${hash}`
    const known = lists.get(name)
    if (known) return known
    const found = items
      .filter((item) => hashOf(item, index) === hash)
      .map((item) => (index === undefined ? item : entryOf(item, indexes.get(index) as never)))
      .filter((item) => item !== undefined)
      .sort((a, b) => compareBytes(placeIn(a, index), placeIn(b, index)) || compareBytes(nameOf(a), nameOf(b)))
      .map((item): Row => ({ item, bytes: itemSize(item) }))
    lists.set(name, found)
    return found
  }

  async function query(range: Range): Promise<Page> {
    const { index, hash, beginsWith, from, to, descending, limit = Number.POSITIVE_INFINITY, after, countOnly } = range
    const all = listOf(range)
    const place = (n: number): string => placeIn((all[n] as Row).item, index)
    // Rows are in order: the first one from which on something holds.
    const firstWhere = (holds: (n: number) => boolean): number => {
      let [low, high] = [0, all.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (holds(middle)) high = middle
        else low = middle + 1
      }
      return low
    }
    const lowest = beginsWith ?? from
    const isOpen = beginsWith === undefined && to === undefined
    let low = lowest === undefined ? 0 : firstWhere((n) => compareBytes(place(n), lowest) >= (isOpen ? 1 : 0))
    const highest = beginsWith === undefined ? to : `${beginsWith}\u{10ffff}`
    let high = highest === undefined ? all.length : firstWhere((n) => compareBytes(place(n), highest) > 0)
    if (after) {
      const at = all.findIndex(({ item }) => item.pk === after.pk && item.sk === after.sk)
      if (descending) high = Math.min(high, at)
      else low = Math.max(low, at + 1)
    }
    const page: Item[] = []
    let bytes = 0
    const step = descending ? -1 : 1
    let n = descending ? high - 1 : low
    for (; n >= low && n < high && page.length < limit && bytes < pageBytes; n += step) {
      const row = all[n] as Row
      page.push(row.item)
      bytes += row.bytes
    }
    const read = reads.get(`${index} ${hash}`) ?? { trips: 0, rows: 0 }
    reads.set(`${index} ${hash}`, { trips: read.trips + 1, rows: read.rows + page.length })
    // DynamoDB says that there may be more wherever it stopped early, at the last row, too.
    const isStopped = page.length >= limit || bytes >= pageBytes
    const last = page.at(-1)
    const next = last && { ...keyIn(last), ...(index === undefined ? {} : { [sortOf(index)]: placeIn(last, index) }) }
    const items = countOnly ? [] : page
    return { items, count: page.length, ...(isStopped && next ? { next } : {}) }
  }

  const get = async (key: Key): Promise<Item | undefined> => byKey.get(nameOf(key))
  const store: Pick<Store, 'get' | 'getSoon' | 'query'> = { get, getSoon: get, query }
  return {
    store,
    reads,
    /** The most trips to one list, and the rows of all lists; then counts anew. */
    cost(): { trips: number; rows: number } {
      const all = [...reads.values()]
      reads.clear()
      return {
        trips: Math.max(0, ...all.map(({ trips }) => trips)),
        rows: all.reduce((sum, { rows }) => sum + rows, 0),
      }
    },
  }
}
