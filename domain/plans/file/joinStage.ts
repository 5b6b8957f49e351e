import { slices } from '../../base/parallel.ts'
import { judgeOf } from '../judge.ts'
import type { Plan } from '../plan.ts'
import { conditionOf } from '../selected.ts'
import type { Found } from '../verdict.ts'
import { judgeAbsent, type Missing } from './absent.ts'
import { type FileCheck, judgingIn, SHOWN_MS } from './fileCheck.ts'
import type { FileWork } from './fileWork.ts'
import { joined, type KeptRow, type KeptUser, rowsByKey, usersByKey } from './joinRows.ts'
import type { Judged, Judging } from './judgeRow.ts'
import { nameOfKey, partOf } from './key.ts'
import { filling, putWork, recordsOf } from './workFiles.ts'

/** The first record of a file of verdicts. */
export type Unchanged = { unchanged: number }

/** Users who may be absent that are judged at once. */
const ABSENT_AT_ONCE = 50

/** JOIN: the rows and users of each part are judged. The verdicts of a part are a working file, and a step. */
export async function* joinStage(check: FileCheck, plan: Plan, begun: FileWork): AsyncGenerator<Found> {
  const { files } = check
  const judging = judgingIn(check)
  const missing = await missingIn(check, judging, begun)
  let work = begun
  let { looked } = plan.position
  while (work.verdicts.length < work.parts) {
    const part: Part = { judged: [], unchanged: 0, rows: 0 }
    for await (const _ of everySecond(judgedPart(check, judging, missing, work, part)))
      yield { verdicts: [], at: { file: work, looked: looked + part.rows } }
    looked += part.rows
    const verdicts = [...work.verdicts, await putWork(files, 'v', verdictsOf(part))]
    const named = part.judged.filter(({ takes, gives }) => takes.length + gives.length > 0).length
    const isLast = verdicts.length === work.parts
    work = { ...work, verdicts, named: work.named + named, ...(isLast ? { stage: 'WRITE' } : {}) }
    yield { verdicts: [], at: { file: work, looked } }
  }
}

/** What is known of the rows and users of a part. */
type Part = { judged: Judged[]; unchanged: number; rows: number }

function verdictsOf({ judged, unchanged }: Part): Uint8Array {
  const box = filling(1)
  box.add(0, { unchanged } satisfies Unchanged)
  for (const one of judged.sort(byRow)) box.add(0, one)
  return box.whole()
}

/** Lets through what comes a second after the last one: then progress is shown. */
async function* everySecond(some: AsyncIterable<void>): AsyncGenerator<void> {
  let shownAt = performance.now()
  for await (const _ of some) {
    if (performance.now() - shownAt < SHOWN_MS) continue
    yield
    shownAt = performance.now()
  }
}

/** Judges the rows of a part, then the users whom no row has found. */
async function* judgedPart(
  { files, checking, request }: FileCheck,
  judging: Judging,
  missing: Missing | undefined,
  { rows: rowFiles, users: userFiles, walk, verdicts }: FileWork,
  part: Part,
): AsyncGenerator<void> {
  const number = verdicts.length
  const rows = await rowsByKey(request.match_by, recordsOf<KeptRow>(files, rowFiles, number))
  const walked = await usersByKey(request.match_by, recordsOf<KeptUser>(files, userFiles, number))
  const joining = { judging, newId: checking.context.newId, isWhole: walk === 'ALL' }
  for await (const some of joined(joining, rows, walked)) {
    part.judged.push(...some.judged)
    part.unchanged += some.unchanged
    part.rows += some.rows
    yield
  }
  const left = missing ? [...walked].filter(([name, { m }]) => m && !rows.has(name)).map(([, user]) => user) : []
  for (const some of slices(left, ABSENT_AT_ONCE)) {
    const found = await Promise.all(some.map((user) => judgeAbsent(missing as Missing, user)))
    part.judged.push(...found.filter((one) => one !== undefined))
    yield
  }
}

/** Rows in their order, then who is absent. */
const byRow = (one: Judged, other: Judged): number => (one.row ?? Infinity) - (other.row ?? Infinity) || 0

/** What judging absent users needs; undefined if they are kept. */
async function missingIn(
  { checking, request, files }: FileCheck,
  judging: Judging,
  { rows, parts }: FileWork,
): Promise<Missing | undefined> {
  if (request.absent === 'KEEP') return undefined
  const isInFile = async (name: string): Promise<boolean> => {
    for await (const { k } of recordsOf<KeptRow>(files, rows, partOf(name, parts)))
      if (nameOfKey(request.match_by, k) === name) return true
    return false
  }
  return {
    judging,
    judge: await judgeOf(checking.context, { action: request.absent }),
    holds: await conditionOf(checking.work.store, request.absent_among ?? {}),
    isInFile,
  }
}
