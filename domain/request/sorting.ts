import { compareBytes, SEPARATOR } from '../base/text.ts'
import * as keys from '../table/keys.ts'
import type { Rows } from '../table/lists.ts'
import type { Item } from '../table/store.ts'

/** A field that a list is ordered by. */
export type Sorting<F extends string = string> = { field: F; descending: boolean }

/** The values of a `sort` parameter: `LAST_NAME_ASC`, `LAST_NAME_DESC`. */
export type SortValue<F extends string = string> = `${F}_ASC` | `${F}_DESC`

/** Reads the values of a `sort` parameter. */
export const sortings = <const F extends string>(values: readonly SortValue<F>[]): Sorting<F>[] =>
  values.map((value) => ({
    field: value.slice(0, value.lastIndexOf('_')) as F,
    descending: value.endsWith('_DESC'),
  }))

/** What orders a record: a value per field, null for none, and the id that breaks ties. Cursors hold one, as JSON. */
export type Rank = { values: readonly (string | null)[]; id: string }

/** Compares by several fields. Missing values come last in both directions; ties go by id, in the direction of the last. */
export function comparing(sorts: readonly Sorting[]): (a: Rank, b: Rank) => number {
  const signs = sorts.map(({ descending }) => (descending ? -1 : 1))
  return (a, b) => {
    for (const [n, sign] of signs.entries()) {
      const order = compareValues(a.values[n] ?? null, b.values[n] ?? null, sign)
      if (order !== 0) return order
    }
    return (signs.at(-1) ?? 1) * compareBytes(a.id, b.id)
  }
}

function compareValues(a: string | null, b: string | null, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return sign * compareBytes(a, b)
}

/** A record with what orders it. */
export type Ranked<T> = { record: T; rank: Rank }

/** Records in order; each is asked for its values and its id only once. */
export function ranked<T, F extends string>(
  records: readonly T[],
  sorts: readonly Sorting<F>[],
  sortedBy: (record: T, field: F) => string | undefined,
  idOf: (record: T) => string,
): Ranked<T>[] {
  const compare = comparing(sorts)
  return records
    .map((record) => ({
      record,
      rank: { values: sorts.map(({ field }) => sortedBy(record, field) ?? null), id: idOf(record) },
    }))
    .sort((a, b) => compare(a.rank, b.rank))
}

/** The same without what orders them. */
export const sorted = <T, F extends string>(...input: Parameters<typeof ranked<T, F>>): T[] =>
  ranked(...input).map(({ record }) => record)

/** Rows of one value. Those of a long run are not kept; one that is not whole goes on. */
export type Run = { value: string; rows: Item[]; size: number; isWhole: boolean }

type Steps = {
  /** Rows that are likely needed. A run that goes on beyond them is read in steps of `step`. */
  ahead: number
  step: number
  /** The most rows of a run that are kept. A longer one is read on only until `enough` of its rows are counted. */
  most: () => number
  enough: () => number
}

/** Goes through rows in runs of equal value, up to one that is not read whole. */
export async function* runsOf(rows: Rows, valueIn: (row: Item) => string, steps: Steps): AsyncGenerator<Run> {
  const readNext = async (): Promise<Item | undefined> => (await rows.take(1, steps.step))[0]
  let [row] = await rows.take(1, steps.ahead)
  while (row) {
    const run: Run = { value: valueIn(row), rows: [], size: 0, isWhole: true }
    for (; row && valueIn(row) === run.value; row = await readNext()) {
      run.isWhole = run.size < steps.most() || run.size < steps.enough()
      if (!run.isWhole) break
      addTo(run, row, steps)
    }
    yield run
    if (!run.isWhole) return
  }
}

function addTo(run: Run, row: Item, { most }: Steps): void {
  run.size++
  if (run.size <= most()) run.rows.push(row)
  else run.rows = []
}

/** What orders a row by its place in an index: the values before the id. */
export function rankOfRow(row: Item, index: string): Rank {
  const [first = '', ...others] = keys.placeIn(row, index).split(SEPARATOR)
  const id = others.pop()
  if (id === undefined) return { values: [], id: first }
  return { values: [keys.valueOrNull(first), ...others.map(keys.valueOfText)], id }
}
