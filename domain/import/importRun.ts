import { hash } from 'node:crypto'
import { importKey, imports } from '../table/keys.ts'
import { all } from '../table/reader.ts'
import { defineRecord } from '../table/records.ts'
import { happened, type Store } from '../table/store.ts'
import type { ImportContext } from './importContext.ts'
import { checkLines, writeLines } from './importLines.ts'
import { emptySummary, ImportRefused, ImportStopped, type ImportSummary, stopIfDown } from './importSummary.ts'
import type { LinePosition, LineSource } from './lineFile.ts'
import { UnreadableFile } from './s3.ts'

/**
 * An import of a file of lines that has passed its check and goes on from function to function: how far it is, and what
 * it has done. The function that works on it has a lease until `taken_until`.
 */
type ImportRun = {
  id: string
  file: string
  /** Which version of the file: another one has to be checked again. */
  etag: string
  offset: number
  line: number
  lines: number
  summary: ImportSummary
  taken_until: string
  version: number
}

/** A file of lines that says which version of it this is. */
type VersionedSource = LineSource & { etag: string }
/** Opens a file, of this version if one is given. */
type Open = (file: string, etag?: string) => Promise<VersionedSource>

/** How far an import is: DONE, or RUNNING if another function goes on with it. */
export type RunReport = { state: 'DONE' | 'RUNNING'; file: string; line: number; lines: number } & ImportSummary

const runs = defineRecord<ImportRun>({ key: importKey, idOf: ({ id }) => [id], versioned: true })

/**
 * The run of a function that has died is taken over after this time. A function renews its lease after each slice, and
 * during a long one when half of this time is over.
 */
const LEASE_MS = 90_000

/**
 * A run stops between two slices when the function has less than this left: a slice of users takes a few seconds, more while
 * the table is busy. The head may take longer: it is stopped by `needTime`, and the next function begins it again.
 */
const RESERVE_MS = 60_000

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
  const source = await open(file)
  if (stored && stored.etag === source.etag) return takeRun(context, stored, async () => source)
  const lines = await stopIfDown(checkLines(context, source))
  const fresh = { id, file, etag: source.etag, offset: 0, line: 0, lines, summary: emptySummary() }
  const run: ImportRun = { ...fresh, taken_until: leaseFrom(context), version: (stored?.version ?? 0) + 1 }
  if (!(await happened(context.store.write([runs.replace(stored, run)]))))
    throw new ImportStopped('Another call has begun to import the file meanwhile')
  return importRest(context, run, async () => source)
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
    if (run.taken_until <= now && context.timeLeft() > RESERVE_MS) await resume(run)
  return reports
}

/** Takes the lease of a run, and continues it. */
async function takeRun(context: Timed, run: ImportRun, open: () => Promise<VersionedSource>): Promise<RunReport> {
  const taken = await saveStep(context.store, run, { taken_until: leaseFrom(context) })
  // Another function was faster.
  return taken ? importRest(context, taken, open) : reportOf(run)
}

const leaseFrom = ({ clock }: Timed): string => new Date(clock().getTime() + LEASE_MS).toISOString()

/** Saves what a step has done; undefined if another function has taken over the run. */
async function saveStep(store: Store, before: ImportRun, changes: Partial<ImportRun>): Promise<ImportRun | undefined> {
  const after = { ...before, ...changes, version: before.version + 1 }
  return (await happened(store.write([runs.replace(before, after)]))) ? after : undefined
}

/**
 * Continues a run until the file is imported or the time is over. The run is given up if its file has changed or is gone,
 * or if others have taken what the file defines. Then the next call checks the file anew.
 */
async function importRest(context: Timed, taken: ImportRun, open: () => Promise<VersionedSource>): Promise<RunReport> {
  const { store, timeLeft, clock } = context
  const { offset, line, lines, summary } = taken
  let run: ImportRun = taken
  const save = async (changes: Partial<ImportRun>): Promise<void> => {
    const next = await saveStep(store, run, changes)
    if (!next) throw new ImportStopped('Another function goes on with this import')
    run = next
  }
  let renewal: Promise<void> | undefined
  const renewLease = async (): Promise<void> => {
    if (Date.parse(run.taken_until) - clock().getTime() > LEASE_MS / 2) return
    // Several transactions may be under way: one of them renews the lease for all.
    renewal ??= save({ taken_until: leaseFrom(context) }).finally(() => {
      renewal = undefined
    })
    await renewal
  }
  const write: Store['write'] = async (...transaction) => {
    await renewLease()
    await store.write(...transaction)
  }
  const onSlice = async (to: LinePosition, sum: ImportSummary): Promise<boolean> => {
    const isLate = timeLeft() < RESERVE_MS
    const taken_until = isLate ? clock().toISOString() : leaseFrom(context)
    await save({ ...to, summary: shortened(sum), taken_until })
    return !isLate
  }
  const leased = { ...context, store: { ...store, write } }
  try {
    const isThrough = await writeLines(leased, await open(), { from: { offset, line }, summary, lines }, onSlice)
    if (isThrough) await store.write([runs.remove(run)])
    return { ...reportOf(run), state: isThrough ? 'DONE' : 'RUNNING' }
  } catch (error) {
    if (error instanceof UnreadableFile || error instanceof ImportRefused)
      await happened(store.write([runs.remove(run)]))
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
