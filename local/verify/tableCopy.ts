import { rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { endOf } from '../../domain/table/items.ts'
import type { Item, Key } from '../../domain/table/store.ts'
import { isEvent, recordOfEvent } from './recordKeys.ts'

/** Where the scan of one segment continues: after this key, or not at all if it is done. */
type ScanPosition = { after: Record<string, unknown> } | 'done'

type Row = Record<string, SQLOutputValue>

const MEMORY = ':memory:'

const schema = `
  CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, pk TEXT, sk TEXT, event TEXT, about TEXT, body TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS source (name TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS segments (segment INTEGER PRIMARY KEY, position TEXT) STRICT;
`
// Created once everything has been read: sorting once is much faster than keeping millions of rows sorted.
const indexes = `
  CREATE UNIQUE INDEX IF NOT EXISTS by_key ON items (pk, sk);
  CREATE INDEX IF NOT EXISTS by_sort_key ON items (sk, pk);
  CREATE INDEX IF NOT EXISTS by_record ON items (about, sk) WHERE about IS NOT NULL;
`

/**
 * A copy of a table in an SQLite file, or in memory. It can be read by key, by prefixes of keys, and by the record of events,
 * one row at a time: a table of any size can be checked with little memory. The file holds personal data, so only
 * its owner may read it. Throws one line if the file is the copy of another table.
 */
export function openCopy(file = MEMORY, table = '') {
  if (file !== MEMORY) writeFileSync(file, '', { flag: 'a', mode: 0o600 })
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;')
  database.exec(schema)
  requireTable(database, file, table)
  const insert = database.prepare('INSERT INTO items (pk, sk, event, about, body) VALUES (?, ?, ?, ?, ?)')
  const setPosition = database.prepare('INSERT OR REPLACE INTO segments VALUES (?, ?)')

  const statements = new Map<string, StatementSync[]>()
  /** One row after the other. Each loop has a separate statement, so loops can be nested; statements are reused. */
  function* rows(sql: string, ...values: string[]): Generator<Row> {
    const free = statements.get(sql) ?? []
    statements.set(sql, free)
    const statement = free.pop() ?? database.prepare(sql)
    try {
      yield* statement.iterate(...values) as Iterable<Row>
    } finally {
      free.push(statement)
    }
  }
  /** The first row: no loop is open for it, so one statement for each text is enough. */
  const lookups = new Map<string, StatementSync>()
  const first = (sql: string, ...values: string[]): Row | undefined => {
    const statement = lookups.get(sql) ?? database.prepare(sql)
    lookups.set(sql, statement)
    return statement.get(...values)
  }
  const items = (sql: string, ...values: string[]): IteratorObject<Item> => rows(sql, ...values).map(itemOf)
  const keys = (sql: string, ...values: string[]): IteratorObject<Key> =>
    rows(sql, ...values).map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }))

  return {
    /** Adds items and the position in their segment, in one transaction. */
    add(some: readonly Item[], segment = 0, position: ScanPosition = 'done'): void {
      database.exec('BEGIN')
      try {
        for (const item of some) {
          const { event, ...rest } = item
          const about = isEvent(item) ? recordOfEvent(item) : null
          insert.run(
            item.pk,
            item.sk,
            event === undefined ? null : String(event),
            about,
            JSON.stringify(rest, withSets),
          )
        }
        setPosition.run(segment, JSON.stringify(position))
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
    /** The position in each segment. */
    positions: (): Map<number, ScanPosition> =>
      new Map(
        rows('SELECT * FROM segments').map((row) => [Number(row['segment']), JSON.parse(String(row['position']))]),
      ),
    /** Sorts the items. Call it before reading by key. */
    sort: (): void => database.exec(indexes),
    /** The item with this key, without the sort key of its last event. */
    at: (key: Key): Item | undefined => {
      const row = first('SELECT body FROM items WHERE pk = ? AND sk = ?', key.pk, key.sk)
      return row && itemOf(row)
    },
    has: (key: Key): boolean => first('SELECT 1 FROM items WHERE pk = ? AND sk = ?', key.pk, key.sk) !== undefined,
    /** The items of one partition. */
    partition: (pk: string): Item[] => items('SELECT body FROM items WHERE pk = ? ORDER BY sk', pk).toArray(),
    /** The items with this partition key whose sort keys begin with a prefix. */
    within: (pk: string, prefix: string) =>
      items('SELECT body FROM items WHERE pk = ? AND sk >= ? AND sk < ? ORDER BY sk', pk, prefix, endOf(prefix)),
    /** The items whose partition keys begin with a prefix. */
    below: (prefix: string) =>
      items('SELECT body FROM items WHERE pk >= ? AND pk < ? ORDER BY pk, sk', prefix, endOf(prefix)),
    /** The keys of these items, which are cheaper to read. */
    keysBelow: (prefix: string) =>
      keys(
        'SELECT pk, sk FROM items INDEXED BY by_key WHERE pk >= ? AND pk < ? ORDER BY pk, sk',
        ...[prefix, endOf(prefix)],
      ),
    /** The items with this sort key. */
    sortedAt: (sk: string) => items('SELECT body FROM items INDEXED BY by_sort_key WHERE sk = ? ORDER BY pk', sk),
    /** The keys whose sort keys begin with a prefix, in the order of sort keys. */
    keysSorted: (prefix: string) =>
      keys(
        'SELECT pk, sk FROM items INDEXED BY by_sort_key WHERE sk >= ? AND sk < ? ORDER BY sk, pk',
        ...[prefix, endOf(prefix)],
      ),
    /** The records with events, each as the text of its key. */
    recordsWithEvents: () =>
      rows('SELECT DISTINCT about FROM items WHERE about IS NOT NULL ORDER BY about').map((row) =>
        String(row['about']),
      ),
    /** The events of a record, the oldest first. */
    eventsAbout: (about: string): Item[] =>
      items('SELECT body FROM items WHERE about = ? ORDER BY about, sk', about).toArray(),
    /** The key of the last event of the record with this key. */
    lastEventOf: (key: Key): string | undefined =>
      (first('SELECT event FROM items WHERE pk = ? AND sk = ?', key.pk, key.sk)?.['event'] ?? undefined) as
        | string
        | undefined,
    /** The records that name a last event but have no events. */
    recordsWithoutEvents: () =>
      keys(`SELECT pk, sk FROM items record WHERE event IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM items WHERE about = record.pk || ' ' || record.sk)`),
    /** How many items there are, or how many have this sort key. */
    size: (sk?: string): number =>
      Number(
        sk === undefined
          ? first('SELECT count(*) n FROM items')?.['n']
          : first('SELECT count(*) n FROM items WHERE sk = ?', sk)?.['n'],
      ),
    close: (): void => {
      if (database.isOpen) database.close()
    },
    /** Closes the copy and removes its file, and the other files of SQLite. */
    remove(): void {
      database.close()
      if (file !== MEMORY) for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    },
  }
}

/** A copy of a table. */
export type Copy = ReturnType<typeof openCopy>

// JSON has no sets, and items have some: of strings or numbers. (v8.serialize leaves megabytes behind that no limit holds.)
const SET = '\u0000set'
const SET_IN_JSON = JSON.stringify(SET).slice(1, -1)
const withSets = (_name: string, value: unknown): unknown => (value instanceof Set ? { [SET]: [...value] } : value)
/** With a function, JSON.parse takes several times as long: it gets one only where there is a set. */
const itemOf = ({ body }: Row): Item =>
  JSON.parse(String(body), String(body).includes(SET_IN_JSON) ? toSets : undefined) as Item
const toSets = (_name: string, value: unknown): unknown =>
  Array.isArray((value as Record<string, unknown> | null)?.[SET])
    ? new Set((value as Record<string, unknown[]>)[SET])
    : value

/** An unfinished copy belongs to one table: items of two tables would not match. */
function requireTable(database: DatabaseSync, file: string, table: string): void {
  const source = database.prepare('SELECT name FROM source').get()?.['name']
  if (source === undefined) database.prepare('INSERT INTO source VALUES (?)').run(table)
  else if (source !== table) throw new Error(`${file} is the copy of the table ${source}: use another file.`)
}

/** A copy of these items in memory. */
export function copyOf(items: readonly Item[]): Copy {
  const copy = openCopy()
  copy.add(items)
  copy.sort()
  return copy
}
