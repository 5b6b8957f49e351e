import type { LinePosition } from '../base/lines.ts'
import { type DirectoryFile, type ListSection, withoutRecords } from './directoryFile.ts'
import type { Draft } from './draft.ts'
import { exceptionFaults } from './draftRules.ts'
import { type ImportContext, requireTime } from './importContext.ts'
import { type ImportFault, ImportRefused, stopIfDown } from './importErrors.ts'
import { draftSlice, importSlice } from './importSlice.ts'
import { addSummary, countConflict, emptySummary, type ImportSummary, sortLists } from './importSummary.ts'
import { ENOUGH_FAULTS, type LineFile, type LineSlice, slicesOf } from './lineFile.ts'
import { readStructure } from './readStructure.ts'
import { type Seen, seenIdentities } from './seenIdentities.ts'
import { checkUniqueness } from './uniqueness.ts'

const START: LinePosition = { offset: 0, line: 0 }

/** Imports a file of lines: checks all of it, then writes it. */
export async function importLines(context: ImportContext, lineFile: LineFile): Promise<ImportSummary> {
  const summary = emptySummary()
  const lines = await stopIfDown(checkLines(context, lineFile))
  await writeLines(context, lineFile, { from: START, summary, lines }, async () => true)
  return summary
}

/**
 * Checks a file of lines against itself and against what is stored: drafts it slice by slice, and writes nothing. Returns how
 * many lines it has. Throws ImportRefused with the faults, which name lines.
 */
export async function checkLines(context: ImportContext, lineFile: LineFile): Promise<number> {
  const faults: ImportFault[] = []
  const seen = seenIdentities()
  const structure = await readStructure(context)
  let line = 0
  let head: Draft | undefined
  for await (const slice of slicesOf(lineFile, START)) {
    requireTime(context)
    const { file, to } = slice
    line = to.line
    checkUniqueness(file, context.now, (section) => seenIn(seen, section))
    checkOrder(slice, seen)
    const draft = await draftSlice(withoutProgress(context), slice, { structure })
    head ??= draft
    faults.push(...draft.faults)
    if (faults.length >= ENOUGH_FAULTS) break
    const total = Math.max(line, Math.round((line * lineFile.size) / Math.max(1, to.offset)))
    context.onProgress?.({ section: 'checks', done: line, total })
  }
  if (head && faults.length < ENOUGH_FAULTS) faults.push(...exceptionFaults(head, (id) => isSeenUser(seen, id)))
  if (faults.length > 0) throw namingLines(faults)
  return line
}

/** The names of one section in `seen`, which all sections share. */
const seenIn = (seen: Seen, section: string): Pick<Seen, 'add'> => ({
  add: (name, at) => seen.add(`${section}\n${name}`, at),
})

const isSeenUser = (seen: Seen, id: string): boolean => seen.has(`users\nid\n${id}`)

/** Adds faults of roles whose user is in the file, but not right before them. */
function checkOrder({ file, lines }: LineSlice, seen: Seen): void {
  for (const { line, section, record, afterUser } of lines)
    if (
      section !== 'users' &&
      afterUser === undefined &&
      isSeenUser(seen, String((record as { user_id?: unknown }).user_id))
    )
      file.faults.push({ section, index: line, property: 'user_id', reason: 'must follow the line of its user' })
}

/** The refusal of a file of lines: its faults name lines, not numbers in lists. */
const namingLines = (faults: readonly ImportFault[]): ImportRefused =>
  new ImportRefused(
    faults.map(({ index, section, ...fault }) => {
      const line = index === null ? [] : [`line ${index}`]
      return { ...fault, index: null, section: [...line, section].filter((part) => part !== '').join(', ') }
    }),
  )

/** A context for a part of a file, which reports no progress: only that of the whole file is shown. */
const withoutProgress = (context: ImportContext): ImportContext => ({ ...context, onProgress: () => undefined })

/**
 * Writes a file of lines that has been checked, from a position on. After each slice `onSlice` gets the position of the next
 * one and the summary so far, and returns whether to go on. Returns whether all of the file is written.
 */
export async function writeLines(
  context: ImportContext,
  lineFile: LineFile,
  { from, summary, lines }: { from: LinePosition; summary: ImportSummary; lines: number },
  onSlice: (to: LinePosition, summary: ImportSummary) => Promise<boolean>,
): Promise<boolean> {
  for await (const slice of slicesOf(lineFile, from)) {
    const { to, isHead } = slice
    addSummary(summary, await stopIfDown(importCheckedSlice(withoutProgress(context), slice)))
    if (!isHead) context.onProgress?.({ section: 'users', done: to.line, total: lines })
    if (!(await onSlice(to, summary)) && to.offset < lineFile.size) return false
  }
  return true
}

/**
 * Imports a slice that had no faults when it was checked. If it has faults now, other calls have changed what its records
 * need: these records are left out, as conflicts. Faults of the head stop the import, as all users may need what it defines.
 */
async function importCheckedSlice(context: ImportContext, slice: LineSlice): Promise<ImportSummary> {
  const summary = emptySummary()
  let { file } = slice
  for (;;) {
    try {
      addSummary(summary, await importSlice(context, { ...slice, file }))
      sortLists(summary)
      return summary
    } catch (error) {
      if (!(error instanceof ImportRefused)) throw error
      if (slice.isHead || !error.faults.every((fault) => isOfRecord(file, fault))) throw namingLines(error.faults)
      file = withoutFaulty(file, error.faults, summary)
    }
  }
}

type RecordFault = ImportFault & { section: ListSection; index: number }

const isOfRecord = (file: DirectoryFile, fault: ImportFault): fault is RecordFault =>
  fault.index !== null && file[fault.section as ListSection] !== undefined

/** The file without the records that have faults. The roles of users who are left out are skipped. */
function withoutFaulty(file: DirectoryFile, faults: readonly ImportFault[], summary: ImportSummary): DirectoryFile {
  const firstOfEach = new Map(faults.map((fault) => [`${fault.section} ${fault.index}`, fault as RecordFault]))
  for (const { section, index, property } of firstOfEach.values()) countConflict(summary, { section, index, property })
  return withoutRecords(file, [...firstOfEach.values()])
}
