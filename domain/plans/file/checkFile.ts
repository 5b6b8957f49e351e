import { allLists } from '../../people/records/userLists.ts'
import { countUsers } from '../../people/records/userTotals.ts'
import { isShortOfTime } from '../../work/steps.ts'
import { add, newStep, writeStep } from '../checkStep.ts'
import type { Plan } from '../plan.ts'
import type { Checking, Found } from '../verdict.ts'
import { columnsIn, type FileCheck } from './fileCheck.ts'
import { fileRequest } from './fileRequest.ts'
import type { FileWork } from './fileWork.ts'
import { joinStage } from './joinStage.ts'
import { nobody } from './limits.ts'
import { openFile } from './planFile.ts'
import { planFiles } from './planFiles.ts'
import { readStage } from './readStage.ts'
import { beginning } from './row.ts'
import { walkStage } from './walkStage.ts'
import { writeStage } from './writeStage.ts'

// The check of a file, in four stages (see fileWork.ts). Each step is a transaction that moves the plan's position; working files are
// written before the step that names them. So a process that dies has written a step or not, and no row is judged twice.

const stages = { READ: readStage, WALK: walkStage, JOIN: joinStage, WRITE: writeStage }

/** The size of a part, which is judged in memory: bytes of the file, and rows with their users. */
const PART = { bytes: 2 * 1024 * 1024, rows: 8_000 }
/** A row is hardly ever shorter. */
const ROW_BYTES = 8

/** Into how many parts a file is split. Rows for which there are no users take little memory. */
export const partsOf = (bytes: number, users: number): number =>
  Math.max(1, Math.ceil(bytes / PART.bytes), Math.ceil(Math.min(bytes / ROW_BYTES, users) / PART.rows))

/** Goes on with the check of a file. Returns the plan when all of it is judged; undefined if the time is over before. */
export async function checkFile(checking: Checking, plan: Plan): Promise<Plan | undefined> {
  const file = await openFile(checking.work.store, plan)
  const check: FileCheck = {
    checking,
    file,
    files: planFiles(plan.id),
    request: fileRequest(plan.request),
    columns: columnsIn(file),
  }
  let at = plan
  let work = plan.position.file ?? (await newWork(checking, file.bytes.size))
  while (work.stage !== 'DONE') {
    for await (const found of stages[work.stage](check, at, work)) {
      at = await writeFound(check, at, found)
      if (isShortOfTime(checking.work)) return undefined
    }
    work = at.position.file ?? work
  }
  return at
}

const newWork = async (checking: Checking, bytes: number): Promise<FileWork> => ({
  stage: 'READ',
  from: beginning,
  parts: partsOf(bytes, await usersFor(checking, bytes)),
  ...{
    rows: [],
    users: [],
    verdicts: [],
    keyed: 0,
    keyless: null,
    walk: 'NONE',
    after: null,
    scope: 0,
    absent: 0,
    unjudged: 0,
    named: 0,
  },
  at: { file: 0, place: 0, unit: 0 },
  people: nobody,
})

/** How many users there are; zero for a file that has one part, however many there are. */
const usersFor = async ({ context }: Checking, bytes: number): Promise<number> =>
  partsOf(bytes, Infinity) === 1 ? 0 : countUsers(context, allLists)

/** Writes what a stage has found, in one transaction. */
async function writeFound({ checking, file }: FileCheck, plan: Plan, found: Found): Promise<Plan> {
  const step = { ...newStep(), ignored: file.columns.ignored }
  add(step, found)
  return writeStep(checking.work, plan, step)
}
