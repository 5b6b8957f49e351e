import { hash } from 'node:crypto'
import type { ErrorCode } from '../../../schemas/errors.ts'
import type { PlanFault } from '../verdict.ts'
import type { Judged, Taken } from './judgeRow.ts'
import type { Columns } from './row.ts'

// Names between rows: who takes what another row gives up.

const codes: Record<Taken['field'], ErrorCode> = {
  username: 'USERNAME_ALREADY_EXISTS',
  external_id: 'EXTERNAL_ID_ALREADY_EXISTS',
}

/** A name in eight bytes: a million rows take two million names. */
const digestOf = (name: string): bigint => BigInt(`0x${hash('sha1', name).slice(0, 16)}`)

/** Digests in a flat array that grows. */
class Digests {
  #all = new BigUint64Array(1024)
  #size = 0
  add(name: string): void {
    if (this.#size === this.#all.length) {
      const more = new BigUint64Array(this.#size * 2)
      more.set(this.#all)
      this.#all = more
    }
    this.#all[this.#size++] = digestOf(name)
  }
  sorted(): BigUint64Array {
    return this.#all.subarray(0, this.#size).sort()
  }
}

/**
 * What rows do with names, gathered row by row: names that several rows take, and names that one row gives up and another one takes.
 * Only few names are both, so nothing else is kept of a row.
 */
export class NameUse {
  #taken = new Digests()
  #given = new Digests()
  add({ takes, gives }: Pick<Judged, 'takes' | 'gives'>): void {
    for (const { name } of takes) this.#taken.add(name)
    for (const name of gives) this.#given.add(name)
  }
  /** The digests of the names that are taken twice, and of those that move from one row to another. */
  found(): Shared {
    const taken = this.#taken.sorted()
    const twice = new Set<bigint>()
    for (let n = 1; n < taken.length; n++) if (taken[n] === taken[n - 1]) twice.add(taken[n] as bigint)
    const given = this.#given.sorted()
    const moved = new Set<bigint>()
    for (let n = 0, m = 0; n < taken.length && m < given.length; ) {
      const [one, other] = [taken[n] as bigint, given[m] as bigint]
      if (one === other) moved.add(one)
      if (one <= other) n++
      else m++
    }
    return { twice, moved }
  }
}

export type Shared = { twice: ReadonlySet<bigint>; moved: ReadonlySet<bigint> }

const isIn = (names: ReadonlySet<bigint>, name: string): boolean => names.size > 0 && names.has(digestOf(name))

/** Whether a row takes a name that another one gives up, or gives up one that another takes. */
export const isLinked = ({ takes, gives }: Judged, { moved }: Shared): boolean =>
  moved.size > 0 && (takes.some(({ name }) => isIn(moved, name)) || gives.some((name) => isIn(moved, name)))

/** What the faults of names need to know. `deletes`: whether the plan deletes who is absent. */
export type Naming = { columns: Pick<Columns, 'headerOf'>; deletes: boolean }

/** The faults of the names that a row takes, as far as the row alone shows them. */
export function faultsOfNames(naming: Naming, { row, takes }: Judged, { twice, moved }: Shared): PlanFault[] {
  return takes.flatMap((taken) => {
    if (isIn(twice, taken.name)) return [nameFault(naming, row, taken, 'is taken by another row, too')]
    if (taken.holder === undefined || isIn(moved, taken.name)) return []
    return [nameFault(naming, row, taken, heldBy(naming, taken))]
  })
}

function heldBy({ deletes }: Naming, { holder, until }: Taken): string {
  if (until) return `belongs to the user ${holder}, who is deleted: it is free from ${until} on`
  const later = deletes ? '. If this plan deletes them, it is free 14 days after that' : ''
  return `belongs to the user ${holder}${later}`
}

function nameFault({ columns }: Naming, row: number | null, { field }: Taken, message: string): PlanFault {
  const column = columns.headerOf(field)
  return { row, column, code: codes[field], detail: `${column ?? field} ${message}` }
}

/** Rows whose names move among them: one, or several that must change at once. */
export type Unit = Judged[]

/**
 * Rows that wait for each other's names, in an order in which each name is free when its turn comes: chains from their free ends,
 * circles as one unit. A row gets the users for whom it waits. Rows that cannot be planned have faults. `shared`: the names of the whole file.
 */
export function inOrder(naming: Naming, rows: readonly Judged[], shared: Shared): Unit[] {
  const giverOf = new Map(rows.flatMap((row) => row.gives.map((name) => [name, row] as const)))
  const waits = rows.flatMap((row) =>
    row.takes.flatMap(({ name }) => {
      const giver = giverOf.get(name)
      return giver && giver !== row ? [{ row, giver }] : []
    }),
  )
  const waitsFor = grouped(waits, ({ row }) => row)
  const faulty = new Map<Judged, PlanFault[]>()
  for (const row of rows) {
    const faults = faultsOfNames(naming, row, shared)
    if (faults.length > 0) faulty.set(row, faults)
  }
  spread(
    naming,
    faulty,
    grouped(waits, ({ giver }) => giver),
    giverOf,
  )
  const giversOf = (row: Judged): Judged[] => [...new Set(waitsFor.get(row)?.map(({ giver }) => giver))]
  return units(rows, giversOf).map((unit) => unit.map((row) => planned(row, unit, giversOf(row), faulty)))
}

type Wait = { row: Judged; giver: Judged }
type Waits = ReadonlyMap<Judged, Wait[]>
const grouped = (waits: readonly Wait[], by: (wait: Wait) => Judged): Waits => Map.groupBy(waits, by)

/** A row whose name is not given up after all has a fault, and so on. */
function spread(
  naming: Naming,
  faulty: Map<Judged, PlanFault[]>,
  takers: Waits,
  giverOf: ReadonlyMap<string, Judged>,
): void {
  const left = [...faulty.keys()]
  for (const giver of left)
    for (const { row } of takers.get(giver) ?? []) {
      if (faulty.has(row)) continue
      const message = `belongs to the user ${giver.user}, whose row cannot give it up`
      const names = row.takes.filter(({ name }) => giverOf.get(name) === giver)
      faulty.set(
        row,
        names.map((taken) => nameFault(naming, row.row, taken, message)),
      )
      left.push(row)
    }
}

function planned(row: Judged, unit: Unit, givers: readonly Judged[], faulty: ReadonlyMap<Judged, PlanFault[]>): Judged {
  const faults = faulty.get(row)
  if (faults) return { ...row, changes: [], faults }
  const before = givers.filter((one) => !unit.includes(one)).map(({ user }) => user)
  const [first, ...others] = row.changes
  if (!first) return row
  const links = {
    ...(before.length > 0 ? { after: before } : {}),
    ...(unit.length > 1 ? { together: unit.map(({ user }) => user) } : {}),
  }
  return { ...row, changes: [{ ...first, ...links }, ...others] }
}

/** Groups rows that wait for each other in a circle, each behind those for which it waits (Tarjan). */
function units(rows: readonly Judged[], giversOf: (row: Judged) => Judged[]): Unit[] {
  const search = new Search(giversOf)
  for (const row of rows) search.from(row)
  return search.found
}

/** Tarjan's search, without recursion: chains are long. */
class Search {
  readonly found: Unit[] = []
  readonly #giversOf: (row: Judged) => Judged[]
  readonly #order = new Map<Judged, number>()
  /** The earliest row that each one leads to, on the stack. */
  readonly #low = new Map<Judged, number>()
  readonly #stack: Judged[] = []
  readonly #isOnStack = new Set<Judged>()
  readonly #path: { row: Judged; left: Judged[] }[] = []

  constructor(giversOf: (row: Judged) => Judged[]) {
    this.#giversOf = giversOf
  }

  from(root: Judged): void {
    if (this.#order.has(root)) return
    this.#enter(root)
    for (let at = this.#path.at(-1); at; at = this.#path.at(-1)) {
      const next = at.left.pop()
      if (next) this.#look(at.row, next)
      else this.#leave(at.row)
    }
  }

  #enter(row: Judged): void {
    const place = this.#order.size
    this.#order.set(row, place)
    this.#low.set(row, place)
    this.#stack.push(row)
    this.#isOnStack.add(row)
    this.#path.push({ row, left: this.#giversOf(row) })
  }

  #look(row: Judged, next: Judged): void {
    const place = this.#order.get(next)
    if (place === undefined) this.#enter(next)
    else if (this.#isOnStack.has(next)) this.#lower(row, place)
  }

  #lower(row: Judged, place: number): void {
    this.#low.set(row, Math.min(this.#low.get(row) ?? place, place))
  }

  #leave(row: Judged): void {
    this.#path.pop()
    const low = this.#low.get(row) ?? 0
    const parent = this.#path.at(-1)
    if (parent) this.#lower(parent.row, low)
    if (low !== this.#order.get(row)) return
    const unit = this.#stack.splice(this.#stack.lastIndexOf(row))
    for (const one of unit) this.#isOnStack.delete(one)
    this.found.push(unit)
  }
}
