import { isStoreDown, StaleRead } from '../base/errors.ts'
import { treeChanged } from '../groups/groupTree.ts'
import { newOrganisation, organisations } from '../organisation/organisation.ts'
import { organisationKey } from '../table/keys.ts'
import { type Action, nameOf, replacing } from '../table/store.ts'
import { MOST_ACTIONS, pack } from '../table/transactions.ts'
import { checkUniqueness, type DirectoryFile, readDirectory } from './directoryFile.ts'
import { type ImportContext, ImportStopped, needTime, patiently } from './importStore.ts'
import { emptySummary, ImportRefused, type ImportSummary, sortLists } from './importSummary.ts'
import type { Change, Plan } from './plan.ts'
import { planChannelAssignments, planGroupAssignments, planTasks } from './planAssignments.ts'
import { planReference } from './planReference.ts'
import { planUsers } from './planUsers.ts'
import { writeAssignments } from './writeAssignments.ts'
import { writeRecipients, writeTasks } from './writeTasks.ts'
import { writeUsers } from './writeUsers.ts'

/**
 * Brings a directory in. All of it is checked, against itself and against what is stored, before anything is written;
 * ImportRefused names all faults. Each user comes whole, in one transaction. Imported again, the same file changes nothing,
 * and completes an import that has died.
 */
export async function importDirectory(context: ImportContext, directory: unknown): Promise<ImportSummary> {
  try {
    const plan = await referenceWritten(context, directory)
    await writeUsers(plan)
    await writeTasks(plan)
    await writeAssignments(plan)
    await writeRecipients(plan)
    sortLists(plan.summary)
    return plan.summary
  } catch (cause) {
    throw isStoreDown(cause) ? new ImportStopped(DOWN, { cause }) : cause
  }
}

const DOWN = 'The database is busy or cannot be reached: import the directory again to go on'
const CHANGED = 'Others change what the file defines all the time: import it again to go on'

/** Checks of a file before the import gives up because others change what the file defines each time. */
const ATTEMPTS = 5

/** Checks the file and writes what users refer to; checks it again when others have changed any of that meanwhile. */
async function referenceWritten(context: ImportContext, directory: unknown): Promise<Plan> {
  const written: Plan['written'] = new Map()
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const file = readDirectory(directory)
    checkUniqueness(file, context.now)
    const plan = await planned(context, file, written)
    if (plan.faults.length > 0) throw new ImportRefused(plan.faults)
    try {
      await writeReference(plan)
      return plan
    } catch (error) {
      if (!(error instanceof StaleRead)) throw error
    }
  }
  throw new ImportStopped(CHANGED)
}

async function planned(context: ImportContext, file: DirectoryFile, written: Plan['written']): Promise<Plan> {
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
    written,
    users: new Map(),
    tombstones: [],
    assignments: [],
    held: () => undefined,
    tasks: [],
    recipients: new Map(),
  }
  await planReference(plan, organisations.of(stored))
  await planUsers(plan, stored === undefined)
  planGroupAssignments(plan)
  planChannelAssignments(plan)
  await planTasks(plan)
  return plan
}

/**
 * Writes what users refer to: first and in one transaction what every directory has, then the rest, so that nothing refers
 * to what does not exist yet. Throws StaleRead where others have changed any of it since the file was checked.
 */
export async function writeReference({ context, changes, treeVersion, written }: Plan): Promise<void> {
  const inOrder = [...changes.filter(({ first }) => first), ...changes.filter(({ first }) => !first)]
  let version = treeVersion
  for (const { pieces, actions } of pack(inOrder, actionsOf, MOST_ACTIONS - 1)) {
    needTime(context)
    // No group has been moved since the file was checked against the tree.
    const tree = pieces.some(({ inTree }) => inTree) ? [treeChanged(version++)] : []
    await patiently(() => context.store.write([...actions, ...tree]))
    for (const { put, verdict } of pieces) written.set(nameOf(put), verdict)
  }
}

/** Overwrites only what is still as it was read. */
const actionsOf = ({ put, read, beside = [] }: Change): Action[] => [
  replacing(put, read),
  ...beside.map(({ otherwise: _ofTheApi, ...action }) => action),
]
