import { hash } from 'node:crypto'
import type { LinePosition } from '../base/lines.ts'
import { succeeded } from '../table/actions.ts'
import { removeRecord, replaceRecord } from '../table/changes.ts'
import { is } from '../table/expressions.ts'
import { importKey, imports } from '../table/keys.ts'
import { endOfLease, leases, ownLease, renewing, writeLease } from '../table/lease.ts'
import { all } from '../table/reader.ts'
import { defineRecord } from '../table/records.ts'
import { isShortOfTime } from '../work/steps.ts'
import type { ImportContext } from './importContext.ts'
import { ImportRefused, ImportStopped, stopIfDown } from './importErrors.ts'
import { checkLines, writeLines } from './importLines.ts'
import { emptySummary, type ImportSummary } from './importSummary.ts'
import type { LineFile } from './lineFile.ts'
import { UnreadableFile } from './s3File.ts'

/**
 * An import of a file of lines that has passed its check and goes on from function to function: how far it is, and what
 * it has done. The function that works on it has a lease until `taken_until`.
 */
type ImportRun = {
  id: string
  /** Its name in the bucket. */
  file: string
  /** Which version of the file: another one has to be checked again. */
  etag: string
  offset: number
  line: number
  /** How many lines the file has. */
  lines: number
  summary: ImportSummary
  taken_until: string
  version: number
}

/** A file of lines that says which version of it this is. */
type VersionedFile = LineFile & { etag: string }
/** Opens a file, of this version if one is given. */
type Open = (file: string, etag?: string) => Promise<VersionedFile>

/** How far an import is: DONE, or RUNNING if another function goes on with it. */
export type RunReport = { state: 'DONE' | 'RUNNING'; file: string; line: number; lines: number } & ImportSummary

const runs = defineRecord<ImportRun>({ key: importKey, idOf: ({ id }) => [id], versioned: true })

/**
 * A function stops between two slices when it has less than this left: a slice of users takes a few seconds, more while
 * the table is busy. The head may take longer: it is stopped by `requireTime`, and the next function begins it again.
 */
const SLICE_MS = 60_000

/** Differences and conflicts that a run lists: it is written again after each slice. */
const LISTED = 200

type Timed = ImportContext & Required<Pick<ImportContext, 'clock' | 'timeLeft'>>

/**
 * Imports a file of lines as far as there is time. It is checked whole first; the rest of it is left to `resumeImports`. A
 * file whose import is under way already goes on where it is, unless a function is working on it.
 */
export async function startImport(context: Timed, file: string, open: Open): Promise<RunReport> {
  const id = hash('sha256', file).slice(0, 32)
  const stored = await runs.read(context.store, id)
  if (stored && stored.taken_until > context.clock().toISOString()) return reportOf(stored)
  const lineFile = await open(file)
  if (stored && stored.etag === lineFile.etag) return takeRun(context, stored, async () => lineFile)
  const lines = await stopIfDown(checkLines(context, lineFile))
  const fresh = { id, file, etag: lineFile.etag, offset: 0, line: 0, lines, summary: emptySummary() }
  const run: ImportRun = { ...fresh, taken_until: leaseFrom(context), version: (stored?.version ?? 0) + 1 }
  if (!(await succeeded(context.store.write([replaceRecord(runs, stored, run)]))))
    throw new ImportStopped('Another call has begun to import the file meanwhile')
  return importRest(context, run, async () => lineFile)
}

/** Continues all imports without a lease: those that ran out of time, and those whose function has died. */
export async function resumeImports(
  context: Timed,
  open: Open,
  failed: (error: unknown) => void,
): Promise<RunReport[]> {
  const now = context.clock().toISOString()
  const reports: RunReport[] = []
  const resume = (run: ImportRun): Promise<unknown> =>
    takeRun(context, run, () => open(run.file, run.etag)).then((report) => reports.push(report), failed)
  for (const run of (await all(context.store, imports)).flatMap((item) => runs.of(item) ?? []))
    if (run.taken_until <= now && !isShortOfTime(context, SLICE_MS)) await resume(run)
  return reports
}

/** Takes the lease of a run, and continues it. */
async function takeRun(context: Timed, run: ImportRun, open: () => Promise<VersionedFile>): Promise<RunReport> {
  const version = run.version + 1
  const taking = { set: { 'data/version': version }, if: is({ 'data/version': run.version }) }
  const taken_until = await writeLease(context, leases.imports, importKey(run.id), taking)
  // Another function was faster.
  return taken_until === undefined ? reportOf(run) : importRest(context, { ...run, version, taken_until }, open)
}

const leaseFrom = ({ clock }: Timed): string => endOfLease(leases.imports, clock().toISOString())

/**
 * Continues a run until the file is imported or the time is over. The run is given up if its file has changed or is gone,
 * or if others have taken what the file defines. Then the next call checks the file anew.
 */
async function importRest(context: Timed, taken: ImportRun, open: () => Promise<VersionedFile>): Promise<RunReport> {
  const { clock } = context
  const { offset, line, lines, summary } = taken
  const key = importKey(taken.id)
  const lease = ownLease(context, leases.imports, { key, end: taken.taken_until })
  const lost = () => new ImportStopped('Another function goes on with this import')
  const store = renewing(context.store, leases.imports, key, lease, lost)
  let run: ImportRun = taken
  const onSlice = async (to: LinePosition, sum: ImportSummary): Promise<boolean> => {
    const isLate = isShortOfTime(context, SLICE_MS)
    const taken_until = isLate ? clock().toISOString() : leaseFrom(context)
    const next = { ...run, ...to, summary: shortened(sum), taken_until, version: run.version + 1 }
    if (!(await succeeded(store.write([replaceRecord(runs, run, next)])))) throw lost()
    run = next
    return !isLate
  }
  try {
    const isThrough = await writeLines(
      { ...context, store },
      await open(),
      { from: { offset, line }, summary, lines },
      onSlice,
    )
    if (isThrough) await store.write([removeRecord(runs, run)])
    return { ...reportOf(run), state: isThrough ? 'DONE' : 'RUNNING' }
  } catch (error) {
    if (error instanceof UnreadableFile || error instanceof ImportRefused)
      await succeeded(store.write([removeRecord(runs, run)]))
    throw error
  }
}

function shortened(summary: ImportSummary): ImportSummary {
  summary.differences.length = Math.min(LISTED, summary.differences.length)
  summary.conflicts.length = Math.min(LISTED, summary.conflicts.length)
  return summary
}

const reportOf = ({ file, line, lines, summary }: ImportRun): RunReport => ({
  state: 'RUNNING',
  file,
  line,
  lines,
  ...summary,
})
