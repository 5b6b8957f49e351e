import { refuse } from '../../base/errors.ts'
import type { Plan } from '../plan.ts'
import type { Found, Verdict } from '../verdict.ts'
import { type FileCheck, SHOWN_MS } from './fileCheck.ts'
import type { FileWork } from './fileWork.ts'
import { keptRow } from './joinRows.ts'
import { readRows } from './readRows.ts'
import type { FilePosition, FileRow } from './row.ts'
import { markOfName, nameOfKey, partOf } from './rowKey.ts'
import { filling, putWork } from './workFiles.ts'

/** The most of a working file. */
const MOST_WORK_FILE_BYTES = 4 * 1024 * 1024
/** The most faulty rows of a step: their faults are written with it. */
const MOST_FAULTY = 500

/** The part of a working file that has the marks of its rows: behind those of the rows. */
export const marksPart = ({ parts }: Pick<FileWork, 'parts'>): number => parts

/** READ: rows go to working files, by the hash of their key. What has no key is a fault. */
export async function* readStage(check: FileCheck, plan: Plan, work: FileWork): AsyncGenerator<Found> {
  const { file, files, request } = check
  let at = work
  let box = filling(work.parts + 1)
  let verdicts: Verdict[] = []
  let shownAt = performance.now()
  const step = async (from: FilePosition): Promise<Found> => {
    const rows = box.records() > 0 ? [...at.rows, await putWork(files, 'r', box.whole())] : at.rows
    at = { ...at, from, rows }
    const found = { verdicts, at: { by: null, file: at, ...progressOf(at, file.bytes.size) } }
    box = filling(work.parts + 1)
    verdicts = []
    return found
  }
  let from = work.from
  for await (const { row, at: behind } of readRows(file, work.from)) {
    from = behind
    if (row.key === null) {
      at = { ...at, keyless: at.keyless ?? row.row }
      verdicts.push({ user: '', faults: faultsOf(row) })
    } else {
      const mark = markOfName(nameOfKey(request.match_by, row.key))
      box.add(partOf(mark, work.parts), keptRow(row, row.key))
      box.add(marksPart(work), mark)
      at = { ...at, keyed: at.keyed + 1 }
    }
    if (box.bytes() < MOST_WORK_FILE_BYTES && verdicts.length < MOST_FAULTY && performance.now() - shownAt < SHOWN_MS)
      continue
    yield await step(from)
    shownAt = performance.now()
  }
  const last = await step(from)
  requireWhole(check, plan, at)
  at = { ...at, stage: 'WALK' }
  yield { ...last, at: { ...last.at, file: at } }
}

const faultsOf = ({ row, faults }: FileRow) =>
  faults.length > 0
    ? faults.map((fault) => ({ row, ...fault }))
    : [{ row, column: null, code: 'VALIDATION_ERROR' as const, detail: 'The row says not who it is about' }]

/** How far reading is, a third of the work, with as many rows as the bytes so far let expect. */
function progressOf({ from }: FileWork, bytes: number) {
  const rows = from.offset === 0 ? from.row : Math.ceil((from.row * bytes) / from.offset)
  return { looked: from.row, total: Math.max(from.row, rows) * 3 }
}

/** Refuses a file that is not what its plan says it is. */
function requireWhole({ request: { absent } }: FileCheck, { file }: Plan, { from, keyless }: FileWork): void {
  const rows = file?.rows ?? null
  if (rows !== null && rows !== from.row)
    throw refuse('PLAN_FILE_INCOMPLETE', undefined, `The file has ${from.row} rows, and not ${rows}`)
  if (absent !== 'KEEP' && keyless !== null)
    throw refuse(
      'PLAN_FILE_INCOMPLETE',
      undefined,
      `The key of row ${keyless} cannot be read, so nobody can be found to be absent`,
    )
}
