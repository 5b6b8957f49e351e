import { StaleRead } from '../base/errors.ts'
import type { DirectoryFile } from './directoryFile.ts'
import { type Draft, emptyDraft, type Structure, type Written } from './draft.ts'
import { draftAssignments } from './draftAssignments.ts'
import { draftRules } from './draftRules.ts'
import { draftStructure } from './draftStructure.ts'
import { draftTasks } from './draftTasks.ts'
import { draftUsers } from './draftUsers.ts'
import type { ImportContext } from './importContext.ts'
import { ImportRefused, ImportStopped } from './importErrors.ts'
import { type ImportSummary, sortLists } from './importSummary.ts'
import { addNamed, readStructure } from './readStructure.ts'
import { writeAssignments } from './writeAssignments.ts'
import { writeRules } from './writeRules.ts'
import { writeStructure } from './writeStructure.ts'
import { writeRecipients, writeTasks } from './writeTasks.ts'
import { writeUsers } from './writeUsers.ts'

/**
 * A part of a file that is drafted and written as one. A document is one slice. A file of lines has a head, with all that
 * users refer to, and slices of users behind it.
 */
export type Slice = { isHead: boolean; file: DirectoryFile }

/** Attempts at a slice before the import gives up, because others change each time what the file defines. */
const ATTEMPTS = 5
const CHANGED = 'Other calls keep changing what the file defines: import it again to go on'

/**
 * Decides what becomes of each record of a slice, and finds all faults. Writes nothing. `structure` is what the slices before
 * this one have defined, if they are not written yet.
 */
export async function draftSlice(
  context: ImportContext,
  { isHead, file }: Slice,
  { structure, written }: { structure?: Structure; written?: Written } = {},
): Promise<Draft> {
  const draft = emptyDraft(context, file, structure ?? (await readStructure(context)), written)
  await (isHead ? draftStructure(draft) : addNamed(draft))
  await draftUsers(draft)
  await draftRules(draft)
  draftAssignments(draft)
  await draftTasks(draft)
  return draft
}

/**
 * Drafts a slice and writes it: first what users refer to, then users, tasks and what connects them. Drafts it again if others
 * have changed meanwhile what it defines. Throws ImportRefused if the slice has faults.
 */
export async function importSlice(context: ImportContext, slice: Slice): Promise<ImportSummary> {
  const written: Written = new Map()
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const draft = await draftSlice(context, slice, { written })
    if (draft.faults.length > 0) throw new ImportRefused(draft.faults)
    if (!(await tryStructure(draft))) continue
    await writeUsers(draft)
    await writeTasks(draft)
    await writeAssignments(draft)
    await writeRecipients(draft)
    sortLists(draft.summary)
    return draft.summary
  }
  throw new ImportStopped(CHANGED)
}

/** Writes what users refer to; returns false if others have changed any of it since the slice was drafted. */
async function tryStructure(draft: Draft): Promise<boolean> {
  try {
    await writeStructure(draft)
    await writeRules(draft)
    return true
  } catch (error) {
    if (error instanceof StaleRead) return false
    throw error
  }
}
