import { StaleRead } from '../base/errors.ts'
import { treeChanged } from '../people/records/group.ts'
import { type Action, nameOf } from '../table/store.ts'
import { pack } from '../table/transactions.ts'
import type { DirectoryFile } from './directoryFile.ts'
import { type ImportContext, needTime, patiently } from './importContext.ts'
import { ImportRefused, ImportStopped, type ImportSummary, sortLists } from './importSummary.ts'
import { emptyPlan, type Plan, type PlannedChange, type Reference, type Written } from './plan.ts'
import { planAssignments } from './planAssignments.ts'
import { addNamed, planReference, readReference } from './planReference.ts'
import { planRules } from './planRules.ts'
import { planTasks } from './planTasks.ts'
import { planUsers } from './planUsers.ts'
import { writeAssignments } from './writeAssignments.ts'
import { writeRules } from './writeRules.ts'
import { writeRecipients, writeTasks } from './writeTasks.ts'
import { writeUsers } from './writeUsers.ts'

/**
 * A part of a file that is planned and written as one. A document is one slice. A file of lines has a head, with all that
 * users refer to, and slices of users behind it.
 */
export type Slice = { isHead: boolean; file: DirectoryFile }

/** Attempts at a slice before the import gives up, because others change each time what the file defines. */
const ATTEMPTS = 5
const CHANGED = 'Other calls keep changing what the file defines: import it again to go on'

/**
 * Decides what becomes of each record of a slice, and notes all faults. Writes nothing. `reference` is what the slices before
 * this one have defined, if they are not written yet.
 */
export async function planSlice(
  context: ImportContext,
  { isHead, file }: Slice,
  { reference, written }: { reference?: Reference; written?: Written } = {},
): Promise<Plan> {
  const plan = emptyPlan(context, file, reference ?? (await readReference(context)), written)
  await (isHead ? planReference(plan) : addNamed(plan))
  await planUsers(plan)
  await planRules(plan)
  planAssignments(plan)
  await planTasks(plan)
  return plan
}

/**
 * Plans a slice and writes it: first what users refer to, then users, tasks and what connects them. Plans it again if others
 * have changed meanwhile what it defines. Throws ImportRefused if the slice has faults.
 */
export async function importSlice(context: ImportContext, slice: Slice): Promise<ImportSummary> {
  const written: Written = new Map()
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const plan = await planSlice(context, slice, { written })
    if (plan.faults.length > 0) throw new ImportRefused(plan.faults)
    if (!(await tryReference(plan))) continue
    await writeUsers(plan)
    await writeTasks(plan)
    await writeAssignments(plan)
    await writeRecipients(plan)
    sortLists(plan.summary)
    return plan.summary
  }
  throw new ImportStopped(CHANGED)
}

/** Writes what users refer to; returns false if others have changed any of it since the slice was planned. */
async function tryReference(plan: Plan): Promise<boolean> {
  try {
    await writeReference(plan)
    await writeRules(plan)
    return true
  } catch (error) {
    if (error instanceof StaleRead) return false
    throw error
  }
}

/** Writes first what every directory has, in one transaction, then the rest: so no record refers to one that does not exist yet. */
async function writeReference({ context, changes, reference, written }: Plan): Promise<void> {
  const inOrder = [...changes.filter(({ first }) => first), ...changes.filter(({ first }) => !first)]
  let { treeVersion } = reference
  for (const { items, actions } of pack(inOrder, actionsOf, { spare: 1 })) {
    needTime(context)
    // No group has been moved since the file was checked against the tree.
    const tree = items.some(({ inTree }) => inTree) ? [treeChanged(treeVersion++)] : []
    await patiently(() => context.store.write([...actions, ...tree]))
    for (const { write, verdict } of items) written.set(nameOf(write.put), verdict)
  }
}

/** Refusals are for callers of the API: here a failed condition means that the plan is out of date. */
const actionsOf = ({ write, also = [] }: PlannedChange): Action[] => [
  write,
  ...also.map(({ otherwise: _refusal, ...action }) => action),
]
