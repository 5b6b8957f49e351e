import { compareBytes } from '../../domain/base/text.ts'
import { keyIn, sortOf, textOfKey } from '../../domain/table/items.ts'
import type { Item, Key, Page, Range, WorkStore } from '../../domain/table/store.ts'
import { entryOf, itemSize } from './capacity.ts'
import { tableIndexes } from './ledger.ts'

const MEGABYTE = 1024 * 1024

/** An item, or its entry in an index. */
type Row = { item: Item; bytes: number; place: string; name: string }

/** Where a page ends: after a megabyte, as on AWS, and after so many rows. */
type PageEnd = { bytes?: number; rows?: number }
type Use = {
  /** The most queries of one list. */
  trips: number
  /** Rows that queries read from the table and its indexes, and of these from indexes. */
  rows: number
  indexRows: number
  /** Their bytes, those of rows that were only counted among them. */
  bytes: number
  /** Items read by their key. */
  records: number
}

/** Rows by item and index: directories that differ in a few users share the others. */
const made = new WeakMap<Item, Map<string | undefined, Row | undefined>>()

function rowOf(item: Item, index: string | undefined): Row | undefined {
  const rows = made.get(item) ?? new Map<string | undefined, Row | undefined>()
  made.set(item, rows)
  if (rows.has(index)) return rows.get(index)
  const entry = index === undefined ? item : entryOf(item, indexNamed(index))
  const row = entry && { item: entry, bytes: itemSize(entry), place: placeIn(entry, index), name: textOfKey(entry) }
  rows.set(index, row)
  return row
}

const placeIn = (item: Item, index: string | undefined): string =>
  String(index === undefined ? item.sk : item[sortOf(index)])

const indexes = new Map((await tableIndexes()).map((index) => [index.name, index]))

/**
 * Items in memory, read as DynamoDB on AWS reads them: a page of an index ends after a megabyte of projected attributes.
 * So tens of thousands of rows are read in a moment, and trips are counted by AWS's rules. It refuses writes.
 */
export function memoryStore(items: readonly Item[], { bytes: pageBytes = MEGABYTE, rows: pageRows }: PageEnd = {}) {
  const byKey = new Map(items.map((item) => [textOfKey(item), item]))
  const lists = new Map<string | undefined, Map<unknown, Row[]>>()
  const reads = new Map<string, { trips: number; rows: number; bytes: number; isIndex: boolean }>()
  let records = 0

  /** The rows of a list, in order. All lists of an index are made at once. */
  function listOf({ index, hash }: Pick<Range, 'index' | 'hash'>): Row[] {
    const known = lists.get(index)
    if (known) return known.get(hash) ?? []
    const { hash: name } = index === undefined ? { hash: 'pk' } : indexNamed(index)
    const found = new Map<unknown, Row[]>()
    for (const one of items) {
      const row = rowOf(one, index)
      if (!row) continue
      const rows = found.get(row.item[name])
      if (rows) rows.push(row)
      else found.set(row.item[name], [row])
    }
    for (const rows of found.values())
      rows.sort((a, b) => compareBytes(a.place, b.place) || compareBytes(a.name, b.name))
    lists.set(index, found)
    return found.get(hash) ?? []
  }

  async function query(range: Range): Promise<Page> {
    const { index, hash, beginsWith, from, to, descending, after, countOnly } = range
    const limit = Math.min(range.limit ?? Number.POSITIVE_INFINITY, pageRows ?? Number.POSITIVE_INFINITY)
    const all = listOf(range)
    const place = (n: number): string => (all[n] as Row).place
    // The rows are sorted: finds the first one of those for which it holds.
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
    const read = reads.get(`${index} ${hash}`) ?? { trips: 0, rows: 0, bytes: 0 }
    reads.set(`${index} ${hash}`, {
      trips: read.trips + 1,
      rows: read.rows + page.length,
      bytes: read.bytes + bytes,
      isIndex: index !== undefined,
    })
    // DynamoDB says that there may be more wherever a limit stopped it, even at the last row.
    const isStopped = page.length >= limit || bytes >= pageBytes
    const last = page.at(-1)
    const next = last && { ...keyIn(last), ...(index === undefined ? {} : { [sortOf(index)]: placeIn(last, index) }) }
    const items = countOnly ? [] : page
    return { items, count: page.length, ...(isStopped && next ? { next } : {}) }
  }

  const get = async (key: Key): Promise<Item | undefined> => {
    records++
    return byKey.get(textOfKey(key))
  }
  const refuse = async () => {
    throw new Error('This table is only read')
  }
  const store: WorkStore = { get, getEventual: get, query, write: refuse, bulk: refuse }
  return {
    store,
    /** What was read since it was last asked. */
    use(): Use {
      const all = [...reads.values()]
      const rowsOf = (some: typeof all) => some.reduce((sum, { rows }) => sum + rows, 0)
      const used = {
        trips: Math.max(0, ...all.map(({ trips }) => trips)),
        rows: rowsOf(all),
        bytes: all.reduce((sum, read) => sum + read.bytes, 0),
        indexRows: rowsOf(all.filter(({ isIndex }) => isIndex)),
        records,
      }
      reads.clear()
      records = 0
      return used
    },
  }
}

function indexNamed(name: string) {
  const index = indexes.get(name)
  if (!index) throw new Error(`There is no index ${name}`)
  return index
}
