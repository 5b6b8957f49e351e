import { compareBytes, SEPARATOR } from '../base/text.ts'
import * as keys from '../table/keys.ts'
import type { Item } from '../table/store.ts'

/** A field that a list is ordered by. */
export type Sorting<F extends string = string> = { field: F; descending: boolean }

/** The values of a `sort` parameter: `LAST_NAME_ASC`, `LAST_NAME_DESC`. */
export type SortParameter<F extends string = string> = `${F}_ASC` | `${F}_DESC`

/** Reads the values of a `sort` parameter. */
export const sortings = <const F extends string>(values: readonly SortParameter<F>[]): Sorting<F>[] =>
  values.map((value) => ({
    field: value.slice(0, value.lastIndexOf('_')) as F,
    descending: value.endsWith('_DESC'),
  }))

/**
 * The position of a record in a list: a value per sort field, null for none, and the id for ties. Cursors contain one,
 * as JSON.
 */
export type Position = { values: readonly (string | null)[]; id: string }

/**
 * Compares by several fields. Missing values come last in both directions; ties are sorted by id, in the direction of
 * the last field.
 */
export function comparing(sorts: readonly Sorting[]): (a: Position, b: Position) => number {
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

/** A record with its position. */
export type Positioned<T> = { record: T; position: Position }

/** Sorts records, and returns them with their positions. The values and id of each are read only once. */
export function sortRecords<T, F extends string>(
  records: readonly T[],
  sorts: readonly Sorting<F>[],
  sortValue: (record: T, field: F) => string | undefined,
  idOf: (record: T) => string,
): Positioned<T>[] {
  const compare = comparing(sorts)
  return records
    .map((record) => ({
      record,
      position: { values: sorts.map(({ field }) => sortValue(record, field) ?? null), id: idOf(record) },
    }))
    .sort((a, b) => compare(a.position, b.position))
}

/** The position of a row, read from its sort key in an index. */
export function positionOfRow(row: Item, index: string): Position {
  const [first = '', ...others] = keys.sortKeyIn(row, index).split(SEPARATOR)
  const id = others.pop()
  if (id === undefined) return { values: [], id: first }
  return { values: [keys.valueOrNull(first), ...others.map(keys.valueOfText)], id }
}
