import type { Context as LambdaContext } from 'aws-lambda'
import { traceOf } from '../../domain/base/errors.ts'
import { type Open, type Report, resumeImports, startImport } from '../../domain/import/importRun.ts'
import { onAws, type Progress } from '../../domain/import/importStore.ts'
import { talliesOf } from '../../domain/import/importSummary.ts'
import { newTraffic } from '../../domain/table/requests.ts'
import { s3File } from '../../domain/table/s3.ts'
import { environment, newStore } from '../middleware/environment.ts'
import { type Measures, measuresOf } from '../middleware/log.ts'

const open: Open = (file, etag) => s3File(file, etag)

/**
 * Imports a directory of any size, a file of lines in S3: called by hand with `{ "s3": "bucket/key" }`. What it has no time
 * for, and what died, the same function goes on with when the schedule calls it.
 */
export const handler = async (event: unknown, lambda: LambdaContext): Promise<Report[]> => {
  const traffic = newTraffic()
  const context = {
    store: newStore(undefined, traffic),
    now: environment.now().toISOString(),
    clock: environment.now,
    newId: environment.newId,
    timeLeft: () => lambda.getRemainingTimeInMillis(),
    onProgress: progressLog(),
    ...onAws(),
  }
  try {
    const file = fileIn(event)
    const reports = file ? [await startImport(context, file, open)] : await resumeImports(context, open, logFault)
    for (const { state, line, lines, ...summary } of reports)
      log({ level: 'info', state, line, lines, summary: talliesOf(summary) }, measuresOf(traffic))
    return reports
  } catch (error) {
    logFault(error)
    throw error
  }
}

const log = (line: object, measures?: Measures): void => environment.log({ endpoint: 'importFile', ...line }, measures)

/** The caller is told what to do, the log what has happened. */
const logFault = (error: unknown): void => log({ level: 'error', ...traceOf((error as Error).cause ?? error) })

/** The file that the event names; undefined for the schedule's. */
function fileIn(event: unknown): string | undefined {
  const { s3, source } = (event ?? {}) as { s3?: unknown; source?: unknown }
  if (s3 === undefined && source === 'aws.events') return undefined
  if (typeof s3 === 'string' && /^[^/]+\/./.test(s3)) return s3
  throw new Error('The event must be { "s3": "bucket/key" }')
}

const MILLISECONDS_BETWEEN = 10_000

/** A log line every ten seconds. */
function progressLog(): (progress: Progress) => void {
  let loggedAt = 0
  return (progress) => {
    const now = environment.now().getTime()
    if (now - loggedAt < MILLISECONDS_BETWEEN) return
    loggedAt = now
    log({ level: 'info', ...progress }, { ImportedRecords: progress.done, RecordsToImport: progress.total })
  }
}
