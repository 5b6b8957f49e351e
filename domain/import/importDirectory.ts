import { StaleRead } from '../base/errors.ts'
import { treeChanged } from '../groups/group.ts'
import { organisations } from '../organisation/organisation.ts'
import { organisationKey } from '../table/keys.ts'
import { type Action, nameOf } from '../table/store.ts'
import { MOST_ACTIONS, pack } from '../table/transactions.ts'
import { checkUniqueness, type DirectoryFile, readDirectory } from './directoryFile.ts'
import { type ImportContext, needTime, patiently } from './importStore.ts'
import { ImportRefused, ImportStopped, type ImportSummary, sortLists, unlessDown } from './importSummary.ts'
import { type Change, emptyPlan, type Plan } from './plan.ts'
import { planAssignments } from './planAssignments.ts'
import { planReference } from './planReference.ts'
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
    planAssignments(plan)
    await planTasks(plan)
  })
  await writeUsers(plan)
  await writeTasks(plan)
  await writeAssignments(plan)
  await writeRecipients(plan)
  sortLists(plan.summary)
  return plan.summary
}

const CHANGED = 'Others change what the file defines all the time: import it again to go on'

/** Checks of a file before the import gives up because others change what the file defines each time. */
const ATTEMPTS = 5

/** A plan of what users refer to, and whether the table is fresh. */
export type Reference = { plan: Plan; isFresh: boolean }

/** Plans what users refer to. The table is fresh while there is no organisation: then it has no users either. */
export async function plannedReference(
  context: ImportContext,
  file: DirectoryFile,
  written: Plan['written'] = new Map(),
): Promise<Reference> {
  const plan = { ...emptyPlan(context, file), written }
  const stored = await context.store.get(organisationKey)
  await planReference(plan, organisations.of(stored))
  return { plan, isFresh: stored === undefined }
}

/**
 * Checks the file and writes what users refer to; checks it again when others have changed any of that meanwhile. `rest`
 * plans what is to be checked besides. Throws ImportRefused if there are faults.
 */
export async function referenceWritten(
  context: ImportContext,
  fileOf: () => DirectoryFile,
  rest: (plan: Plan, isFresh: boolean) => Promise<void>,
): Promise<Plan> {
  const written: Plan['written'] = new Map()
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { plan, isFresh } = await plannedReference(context, fileOf(), written)
    await rest(plan, isFresh)
    if (plan.file.faults.length > 0) throw new ImportRefused(plan.file.faults)
    try {
      await writeReference(plan)
      return plan
    } catch (error) {
      if (!(error instanceof StaleRead)) throw error
    }
  }
  throw new ImportStopped(CHANGED)
}

/**
 * Writes what users refer to: first and in one transaction what every directory has, then the rest, so that nothing refers
 * to what does not exist yet. Throws StaleRead where others have changed any of it since the file was checked.
 */
async function writeReference({ context, changes, treeVersion, written }: Plan): Promise<void> {
  const inOrder = [...changes.filter(({ first }) => first), ...changes.filter(({ first }) => !first)]
  let version = treeVersion
  for (const { pieces, actions } of pack(inOrder, actionsOf, MOST_ACTIONS - 1)) {
    needTime(context)
    // No group has been moved since the file was checked against the tree.
    const tree = pieces.some(({ inTree }) => inTree) ? [treeChanged(version++)] : []
    await patiently(() => context.store.write([...actions, ...tree]))
    for (const { write, verdict } of pieces) written.set(nameOf(write.put), verdict)
  }
}

const actionsOf = ({ write, beside = [] }: Change): Action[] => [
  write,
  ...beside.map(({ otherwise: _ofTheApi, ...action }) => action),
]
