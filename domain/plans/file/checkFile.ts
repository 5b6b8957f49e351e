import { isShortOfTime } from '../../work/time.ts'
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

/** The size of a part of the rows: a few thousand rows, which are judged in memory. */
const PART_BYTES = 2 * 1024 * 1024

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
  let work = plan.position.file ?? newWork(file.bytes.size)
  while (work.stage !== 'DONE') {
    for await (const found of stages[work.stage](check, at, work)) {
      at = await writeFound(check, at, found)
      if (isShortOfTime(checking.work)) return undefined
    }
    work = at.position.file ?? work
  }
  return at
}

const newWork = (bytes: number): FileWork => ({
  stage: 'READ',
  from: beginning,
  parts: Math.max(1, Math.ceil(bytes / PART_BYTES)),
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

/** Writes what a stage has found, in one transaction. */
async function writeFound({ checking, file }: FileCheck, plan: Plan, found: Found): Promise<Plan> {
  const step = { ...newStep(), ignored: file.columns.ignored }
  add(step, found)
  return writeStep(checking.work, plan, step)
}
