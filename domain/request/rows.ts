import { SEPARATOR } from '../base/text.ts'
import type { Rows } from '../table/lists.ts'
import * as places from '../table/places.ts'
import type { Item } from '../table/store.ts'
import type { Rank } from './sorting.ts'

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
  const [first = '', ...others] = places.placeIn(row, index).split(SEPARATOR)
  const id = others.pop()
  if (id === undefined) return { values: [], id: first }
  return { values: [places.valueOfLead(first), ...others.map(places.valueOfText)], id }
}
