import { isStoreDown } from '../base/errors.ts'
import { newOrganisation, type Organisation } from '../organisation/organisation.ts'
import { organisationKey } from '../table/keys.ts'
import { StaleRead } from '../table/store.ts'
import { emptySummary, sortDifferences } from './differences.ts'
import { type DirectoryFile, readDirectory } from './directoryFile.ts'
import { closeDoor, type Door } from './door.ts'
import { type ImportContext, ImportRefused, ImportStopped, type ImportSummary } from './importContext.ts'
import type { Plan } from './plan.ts'
import { planChannelAssignments, planGroupAssignments } from './planAssignments.ts'
import { planReference } from './planReference.ts'
import { planTasks } from './planTasks.ts'
import { planUsers } from './planUsers.ts'
import { clearUnfinished } from './unfinished.ts'
import { checkUniqueness } from './uniqueness.ts'
import { writeLater } from './writeLater.ts'
import { writeLaterTasks } from './writeLaterTasks.ts'
import { writeTasks, writeUsers } from './writePeople.ts'
import { writeReference } from './writeReference.ts'

/**
 * Brings a directory in. It is checked whole, against itself and what is stored, before anything
 * is written; ImportRefused names all of its faults. Imported again it changes nothing, and completes an import that
 * has died.
 */
export async function importDirectory(context: ImportContext, directory: unknown): Promise<ImportSummary> {
  try {
    return await imported(context, directory)
  } catch (cause) {
    throw isStoreDown(cause) ? new ImportStopped(DOWN, { cause }) : cause
  }
}

const DOWN = 'The database is busy or cannot be reached: import the directory again to go on'

async function imported(context: ImportContext, directory: unknown): Promise<ImportSummary> {
  const file = readDirectory(directory)
  checkUniqueness(file, context.now)
  // A file with faults of its own is refused in any case: the store is only asked for the others.
  if (file.faults.length > 0) throw new ImportRefused((await planned(context, file)).faults)
  const door = await closeDoor(context)
  const tidy = () => clearUnfinished(context)
  try {
    await tidy()
    const plan = await planned(context, file)
    if (plan.faults.length > 0) throw new ImportRefused(plan.faults)
    await written(plan, door)
    sortDifferences(plan.summary)
    return plan.summary
  } finally {
    // What is half done goes at once. Where that or the opening fails, the schedule does it.
    await door.open(tidy).catch(() => undefined)
  }
}

async function planned(context: ImportContext, file: DirectoryFile): Promise<Plan> {
  const stored = await context.store.get(organisationKey)
  const plan: Plan = {
    context,
    file,
    faults: file.faults,
    summary: emptySummary(),
    organisation: newOrganisation,
    roles: new Map(),
    groups: new Map(),
    treeVersion: 0,
    definitions: new Map(),
    channels: new Map(),
    changes: [],
    users: new Map(),
    tombstones: [],
    later: [],
    tasks: [],
    laterTasks: [],
  }
  await planReference(plan, stored?.data as Organisation | undefined)
  await planUsers(plan, stored === undefined)
  planGroupAssignments(plan)
  planChannelAssignments(plan)
  await planTasks(plan)
  return plan
}

async function written(plan: Plan, door: Door): Promise<void> {
  try {
    await writeReference(plan)
    await writeUsers(plan, door)
    await writeTasks(plan, door)
    await writeLater(plan)
    await writeLaterTasks(plan)
  } catch (error) {
    if (error instanceof StaleRead)
      throw new ImportStopped('Somebody has changed what the file defines meanwhile: import it again to go on')
    throw error
  }
}
