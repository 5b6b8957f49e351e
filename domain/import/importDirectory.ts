import { checkUniqueness, readDirectory } from './directoryFile.ts'
import { referenceWritten } from './importReference.ts'
import type { ImportContext } from './importStore.ts'
import { type ImportSummary, sortLists, unlessDown } from './importSummary.ts'
import { planChannelAssignments, planGroupAssignments } from './planAssignments.ts'
import { planTasks } from './planTasks.ts'
import { planUsers } from './planUsers.ts'
import { writeAssignments } from './writeAssignments.ts'
import { writeRecipients, writeTasks } from './writeTasks.ts'
import { writeUsers } from './writeUsers.ts'

/**
 * Brings a directory in. All of it is checked, against itself and against what is stored, before anything is written;
 * ImportRefused names all faults. Each user comes whole, in one transaction. Imported again, the same file changes nothing,
 * and completes an import that has died.
 */
export const importDirectory = (context: ImportContext, directory: unknown): Promise<ImportSummary> =>
  unlessDown(bringIn(context, directory))

async function bringIn(context: ImportContext, directory: unknown): Promise<ImportSummary> {
  const checkedFile = () => {
    const file = readDirectory(directory)
    checkUniqueness(file, context.now)
    return file
  }
  const plan = await referenceWritten(context, checkedFile, async (plan, isFresh) => {
    await planUsers(plan, isFresh)
    planGroupAssignments(plan)
    planChannelAssignments(plan)
    await planTasks(plan)
  })
  await writeUsers(plan)
  await writeTasks(plan)
  await writeAssignments(plan)
  await writeRecipients(plan)
  sortLists(plan.summary)
  return plan.summary
}
