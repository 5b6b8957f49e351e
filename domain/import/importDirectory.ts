import { readDirectory } from './directoryFile.ts'
import type { ImportContext } from './importContext.ts'
import { stopIfDown } from './importErrors.ts'
import { importSlice } from './importSlice.ts'
import type { ImportSummary } from './importSummary.ts'
import { checkUniqueness } from './uniqueness.ts'

/**
 * Imports a directory that is one document. All of it is checked, against itself and against what is stored, before
 * anything is written; ImportRefused has all faults. Each user comes in one transaction, with as many
 * of their roles as fit; the rest follows. Imported again, the same file changes nothing, and completes an import that has died.
 */
export async function importDirectory(context: ImportContext, directory: unknown): Promise<ImportSummary> {
  const file = readDirectory(directory)
  checkUniqueness(file, context.now)
  return stopIfDown(importSlice(context, { isHead: true, file }))
}
