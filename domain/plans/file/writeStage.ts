import { refuse } from '../../base/errors.ts'
import { SLICE } from '../change.ts'
import { circleFits } from '../circle.ts'
import type { Plan } from '../plan.ts'
import type { Found, PlanFault, Verdict } from '../verdict.ts'
import { type FileCheck, SHOWN_MS } from './fileCheck.ts'
import type { FileWork } from './fileWork.ts'
import type { Unchanged } from './joinStage.ts'
import type { Judged } from './judgeRow.ts'
import { addPerson } from './limits.ts'
import { faultsOfNames, inOrder, isLinked, NameUse, type Naming, type Shared, type Unit } from './names.ts'
import { recordsOf } from './workFiles.ts'

/** The most rows that wait for each other's names: they are held in memory. */
const MOST_LINKED = 100_000
/** What a step writes at the most: it has room for the longest change of a row. */
const MOST_CHANGES = SLICE - 10
const MOST_STEP_BYTES = 500_000
const MOST_ROWS = 1_000

/** WRITE: names are compared between rows, and the changes are written: first all rows that wait for no other, then the others. */
export async function* writeStage(check: FileCheck, plan: Plan, begun: FileWork): AsyncGenerator<Found> {
  const naming: Naming = { columns: check.columns, deletes: check.request.absent === 'DELETE' }
  const shared = begun.named > 0 ? await sharedNames(check, begun) : nothingShared
  const writing = new Writing(begun, plan.position.looked)
  for (let file = begun.at.file; file < begun.verdicts.length; file++) {
    for await (const { record, place } of recordsFrom(check, begun, file)) {
      const rows = rowsIn(naming, record, shared)
      if (!writing.hasRoomFor(rows)) yield writing.flush({ file, place, unit: 0 })
      writing.add(rows, record)
    }
    // Where nothing changes, several parts are one step, unless they take long.
    if (writing.isLong()) yield writing.flush({ file: file + 1, place: 0, unit: 0 })
  }
  yield* unitSteps(check, begun, { naming, shared, writing })
}

type Writes = { naming: Naming; shared: Shared; writing: Writing }

/** The rows that wait for each other's names, in their order. */
async function* unitSteps(
  check: FileCheck,
  begun: FileWork,
  { naming, shared, writing }: Writes,
): AsyncGenerator<Found> {
  const end = { file: begun.verdicts.length, place: 0 }
  const units = shared.moved.size > 0 ? inOrder(naming, await linkedRows(check, begun, shared), shared) : []
  for (let unit = begun.at.unit; unit < units.length; unit++) {
    const rows = await together(check, units[unit] as Unit)
    if (!writing.hasRoomFor(rows)) yield writing.flush({ ...end, unit })
    writing.add(rows)
  }
  yield writing.flush({ ...end, unit: units.length }, { stage: 'DONE' })
}

/** What is written of a record at once: nothing of rows that wait for others. */
const rowsIn = (naming: Naming, record: Judged | Unchanged, shared: Shared): Judged[] =>
  'unchanged' in record || isLinked(record, shared) ? [] : [withFaults(naming, record, shared)]

/** The records of a file of verdicts that are not written yet, with their places. */
async function* recordsFrom({ files }: FileCheck, { verdicts, at }: FileWork, file: number) {
  const from = file === at.file ? at.place : 0
  let place = 0
  for await (const record of recordsOf<Judged | Unchanged>(files, [verdicts[file] ?? ''], 0)) {
    if (place >= from) yield { record, place }
    place++
  }
}

const nothingShared: Shared = { twice: new Set(), moved: new Set() }

async function* namedRows({ files }: FileCheck, { verdicts }: FileWork): AsyncGenerator<Judged> {
  for await (const record of recordsOf<Judged | Unchanged>(files, verdicts, 0))
    if ('takes' in record && record.takes.length + record.gives.length > 0) yield record
}

/** The names that rows share. It is found out anew by each process: the verdicts do not change. */
async function sharedNames(check: FileCheck, work: FileWork): Promise<Shared> {
  const use = new NameUse()
  for await (const row of namedRows(check, work)) use.add(row)
  return use.found()
}

async function linkedRows(check: FileCheck, work: FileWork, shared: Shared): Promise<Judged[]> {
  const found: Judged[] = []
  for await (const row of namedRows(check, work)) {
    if (isLinked(row, shared)) found.push(row)
    if (found.length > MOST_LINKED) throw tooManyLinked()
  }
  return found
}

const tooManyLinked = () =>
  refuse(
    'VALIDATION_ERROR',
    undefined,
    `More than ${MOST_LINKED} rows take names from each other: do it with several files`,
  )

function withFaults(naming: Naming, row: Judged, shared: Shared): Judged {
  const faults = faultsOfNames(naming, row, shared)
  return faults.length > 0 ? { ...row, changes: [], faults } : row
}

/** A unit as it can be planned: a circle that is no single transaction is a fault of its rows. */
async function together({ checking, columns }: FileCheck, unit: Unit): Promise<Unit> {
  const changes = unit.flatMap(({ user, changes: [first] }) => (first?.together ? [{ ...first, user }] : []))
  if (changes.length === 0) return unit
  // A row of a circle that cannot be planned breaks it.
  const isWhole = changes.length === unit.length
  if (isWhole && (await circleFits(checking.context, changes))) return unit
  return unit.map((row) => (row.faults.length > 0 ? row : { ...row, changes: [], faults: [circleFault(columns, row)] }))
}

function circleFault({ headerOf }: FileCheck['columns'], { row, takes }: Judged): PlanFault {
  const field = takes[0]?.field ?? 'username'
  const column = headerOf(field)
  const detail = `${column ?? field} goes round in a circle of more users than one transaction can change`
  return { row, column, code: 'NAME_CIRCLE', detail }
}

const bytesOf = (rows: readonly Judged[]): number => Buffer.byteLength(JSON.stringify(rows))

/** What the plan says of a row, or of a user without one. */
function verdictsOf({ row, user, changes, faults }: Judged): Verdict[] {
  const absent = row === null ? ({ as: 'ABSENT' } as const) : {}
  if (faults.length > 0) return [{ user, faults, ...absent }]
  return changes.map((change, n) => ({ user, change, ...(n > 0 ? { as: 'FURTHER' as const } : absent) }))
}

/** Gathers what the next step writes. */
class Writing {
  #work: FileWork
  #looked: number
  #rows: Judged[] = []
  #unchanged = 0
  #changes = 0
  #bytes = 0
  #since = performance.now()

  constructor(work: FileWork, looked: number) {
    this.#work = work
    this.#looked = looked
  }

  /** Rows that are written in one transaction, of a record that may count further ones. */
  add(rows: readonly Judged[], record?: Judged | Unchanged): void {
    if (record && 'unchanged' in record) this.#unchanged += record.unchanged
    this.#rows.push(...rows)
    this.#changes += changesIn(rows)
    this.#bytes += bytesOf(rows)
  }

  hasRoomFor(rows: readonly Judged[]): boolean {
    if (this.#rows.length === 0) return true
    const isSmall = this.#changes + changesIn(rows) <= MOST_CHANGES && this.#bytes + bytesOf(rows) <= MOST_STEP_BYTES
    return isSmall && this.#rows.length < MOST_ROWS && !this.#isLate()
  }

  isLong(): boolean {
    return this.#unchanged > MOST_ROWS || this.#isLate()
  }

  #isLate(): boolean {
    return performance.now() - this.#since >= SHOWN_MS
  }

  /** The step: what was gathered, and where the work goes on. */
  flush(at: FileWork['at'], more: Partial<FileWork> = {}): Found {
    const people = this.#rows.reduce((sum, { changes }) => addPerson(sum, changes), this.#work.people)
    const found = { verdicts: this.#rows.flatMap(verdictsOf), unchanged: this.#unchanged }
    this.#work = { ...this.#work, at, people, ...more }
    this.#looked += this.#rows.length + this.#unchanged
    this.#rows = []
    ;[this.#unchanged, this.#changes, this.#bytes, this.#since] = [0, 0, 0, performance.now()]
    return { ...found, at: { file: this.#work, looked: this.#looked } }
  }
}

const changesIn = (rows: readonly Judged[]): number => rows.reduce((sum, { changes }) => sum + changes.length, 0)
