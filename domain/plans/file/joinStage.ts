import { chunksOf } from '../../base/parallel.ts'
import { judgeOf } from '../judge.ts'
import type { Plan } from '../plan.ts'
import { conditionOf } from '../selected.ts'
import type { Found } from '../verdict.ts'
import { judgeAbsent, type Missing, mayBeAbsent } from './absent.ts'
import { type FileCheck, judgingIn, SHOWN_MS } from './fileCheck.ts'
import type { FileWork } from './fileWork.ts'
import { joined, type KeptRow, type KeptUser, type ListedUser, rowsByKey, usersByKey } from './joinRows.ts'
import type { Judged, Judging } from './judgeRow.ts'
import { beyondLimits } from './limits.ts'
import { markOfName, nameOfKey, partOf } from './rowKey.ts'
import { filling, putWork, recordsOf } from './workFiles.ts'

/** The first record of a file of verdicts. */
export type Unchanged = { unchanged: number }

/** Users who may be absent that are judged at once. */
const ABSENT_AT_ONCE = 50

/** JOIN: the rows and users of each part are judged. The verdicts of a part are a working file, and a step. */
export async function* joinStage(check: FileCheck, plan: Plan, begun: FileWork): AsyncGenerator<Found> {
  const { files } = check
  const judging = judgingIn(check)
  const missing = await missingIn(check)
  let work = begun
  let { looked } = plan.position
  while (work.verdicts.length < work.parts) {
    const part: JudgedPart = { judged: [], unchanged: 0, rows: 0, absent: work.absent, unjudged: work.unjudged }
    const isTooMuch = (): boolean => isBeyond(plan, work, part.absent)
    for await (const _ of everySecond(judgedPart(check, { judging, missing, isTooMuch }, work, part)))
      yield { verdicts: [], at: { file: work, looked: looked + part.rows } }
    looked += part.rows
    const verdicts = [...work.verdicts, await putWork(files, 'v', verdictsOf(part))]
    const named = part.judged.filter(({ takes, gives }) => takes.length + gives.length > 0).length
    const isLast = verdicts.length === work.parts
    const { absent, unjudged } = part
    work = { ...work, verdicts, named: work.named + named, absent, unjudged, ...(isLast ? { stage: 'WRITE' } : {}) }
    yield { verdicts: [], at: { file: work, looked } }
  }
}

/** What is known of the rows and users of a part, and how many absent users there are up to it. */
type JudgedPart = { judged: Judged[]; unchanged: number; rows: number; absent: number; unjudged: number }

/** Whether a plan is refused by so many absent users alone. */
function isBeyond({ request: { limits } }: Plan, { scope }: FileWork, absent: number): boolean {
  const people = { changed: absent, lifecycle: absent, cleared: {} }
  return beyondLimits(limits, { people, scope, planned: absent }) !== undefined
}

function verdictsOf({ judged, unchanged }: JudgedPart): Uint8Array {
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

/** What judging needs. `missing`: undefined if absent users are kept. `isTooMuch`: the plan is refused, whoever else is absent. */
type Judges = { judging: Judging; missing: Missing | undefined; isTooMuch: () => boolean }

/** Judges the rows of a part, then the users whom no row has found. */
async function* judgedPart(
  check: FileCheck,
  { judging, missing, isTooMuch }: Judges,
  { rows: rowFiles, users: userFiles, parts, verdicts }: FileWork,
  part: JudgedPart,
): AsyncGenerator<void> {
  const { files, checking, request } = check
  const number = verdicts.length
  const rows = await rowsByKey(request.match_by, recordsOf<KeptRow>(files, rowFiles, number))
  const { walked, listed } = await usersByKey(
    request.match_by,
    recordsOf<KeptUser | ListedUser>(files, userFiles, number),
  )
  for await (const some of joined({ judging, newId: checking.context.newId }, rows, walked)) {
    part.judged.push(...some.judged)
    part.unchanged += some.unchanged
    part.rows += some.rows
    yield
  }
  if (!missing) return
  const isInFile = async (name: string): Promise<boolean> => {
    const place = partOf(markOfName(name), parts)
    // The user has got another key since the walk, or lists show the key without its accents.
    return place === number ? rows.has(name) : isInPart(check, rowFiles, place, name)
  }
  for (const [name, { u, m, p }] of walked)
    if (m && !rows.has(name) && mayBeAbsent(check, { ...u, protected: p })) listed.add(u.id)
  for (const some of chunksOf([...listed], ABSENT_AT_ONCE)) {
    if (isTooMuch()) {
      part.unjudged += some.length
      continue
    }
    const found = await Promise.all(some.map((id) => judgeAbsent(missing, id, isInFile)))
    const judged = found.filter((one) => one !== undefined)
    part.judged.push(...judged)
    part.absent += judged.filter(({ changes }) => changes.length > 0).length
    yield
  }
}

async function isInPart({ files, request }: FileCheck, rows: readonly string[], part: number, name: string) {
  for await (const { k } of recordsOf<KeptRow>(files, rows, part))
    if (nameOfKey(request.match_by, k) === name) return true
  return false
}

/** Rows in their order, then who is absent. */
const byRow = (one: Judged, other: Judged): number => (one.row ?? Infinity) - (other.row ?? Infinity) || 0

/** What judging absent users needs; undefined if they are kept. */
async function missingIn(check: FileCheck): Promise<Missing | undefined> {
  const { checking, request } = check
  if (request.absent === 'KEEP') return undefined
  return {
    check,
    judge: await judgeOf(checking.context, { action: request.absent }),
    holds: await conditionOf(checking.work.store, request.absent_among ?? {}),
  }
}
