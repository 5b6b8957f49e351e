import { compareBytes } from '../../domain/base/text.ts'
import { sortOf } from '../../domain/table/expressions.ts'
import { type Item, type Key, nameOf, type Page, type Range, type Store } from '../../domain/table/store.ts'
import { tableIndexes } from './ledger.ts'

const indexes = new Map((await tableIndexes()).map((index) => [index.name, index]))

/** What was asked of the table: rows of indexes, and records. */
type Use = { rows: number; records: number }

/** A table in memory that is only read, for tests with many directories. Pages end after `pageRows`, whatever the limit. */
export function memoryTable(items: readonly Item[], pageRows = Number.POSITIVE_INFINITY) {
  const byKey = new Map(items.map((item) => [nameOf(item), item]))
  const use: Use = { rows: 0, records: 0 }
  const collections = new Map<string, Item[]>()
  const collection = (index: string | undefined, hash: string): Item[] => {
    const name = `${index} ${hash}`
    const known = collections.get(name)
    if (known) return known
    const { hash: attribute, range } = index === undefined ? { hash: 'pk', range: 'sk' } : indexNamed(index)
    const rows = items
      .filter((item) => item[attribute] === hash && item[range] !== undefined)
      .map((item) => (index === undefined ? item : projected(item, index)))
      .sort((a, b) => compareBytes(String(a[range]), String(b[range])) || compareBytes(nameOf(a), nameOf(b)))
    collections.set(name, rows)
    return rows
  }
  const get = async (key: Key): Promise<Item | undefined> => {
    use.records++
    return byKey.get(nameOf(key))
  }
  const query = async (range: Range): Promise<Page> => {
    const { descending, limit = Number.POSITIVE_INFINITY, after } = range
    const rows = collection(range.index, range.hash).filter((row) => isWithin(row, range))
    const ordered = descending ? rows.toReversed() : rows
    const start = after ? ordered.findIndex((row) => nameOf(row) === nameOf(after as Key)) + 1 : 0
    const found = ordered.slice(start, start + Math.min(limit, pageRows))
    const last = found.at(-1)
    if (range.index !== undefined) use.rows += found.length
    const isMore = last !== undefined && start + found.length < ordered.length
    const next = isMore ? { next: { pk: last.pk, sk: last.sk } } : {}
    return { items: found, count: found.length, ...next }
  }
  const refuse = async () => {
    throw new Error('This table is only read')
  }
  const store: Store = { get, getSoon: get, query, write: refuse, bulk: refuse }
  return { store, use }
}

function indexNamed(name: string) {
  const index = indexes.get(name)
  if (!index) throw new Error(`There is no index ${name}`)
  return index
}

/** What an index has of an item. */
function projected(item: Item, index: string): Item {
  const { hash, range, projected: more } = indexNamed(index)
  const names = ['pk', 'sk', hash, range, ...more]
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name))) as Item
}

function isWithin(row: Item, { index, beginsWith, from, to }: Range): boolean {
  const at = String(row[index === undefined ? 'sk' : sortOf(index)])
  if (beginsWith !== undefined) return at.startsWith(beginsWith)
  const isAfter = from === undefined || compareBytes(at, from) > (to === undefined ? 0 : -1)
  return isAfter && (to === undefined || compareBytes(at, to) <= 0)
}
