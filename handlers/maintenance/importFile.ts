import type { Context as LambdaContext } from 'aws-lambda'
import { type Open, type Report, resumeImports, startImport } from '../../domain/import/importRun.ts'
import { talliesOf } from '../../domain/import/importSummary.ts'
import { newTraffic } from '../../domain/table/requests.ts'
import { s3File } from '../../domain/table/s3.ts'
import { environment, measuresOf, requireLayout } from '../middleware/environment.ts'
import { faultLine, importContext, type Log } from '../middleware/importing.ts'

const open: Open = (file, etag) => s3File(file, etag)

/**
 * Imports a directory of any size, a file of lines in S3: called by hand with `{ "s3": "bucket/key" }`. What it has no time
 * for, and what died, the same function goes on with when the schedule calls it.
 */
export const handler = async (event: unknown, lambda: LambdaContext): Promise<Report[]> => {
  const traffic = newTraffic()
  const context = importContext('importFile', lambda, { traffic, log })
  try {
    const file = fileIn(event)
    await requireLayout(context.store)
    const reports = file ? [await startImport(context, file, open)] : await resumeImports(context, open, logFault)
    for (const { state, line, lines, ...summary } of reports)
      log({ level: 'info', state, line, lines, summary: talliesOf(summary) }, measuresOf(traffic))
    return reports
  } catch (error) {
    logFault(error)
    throw error
  }
}

const log: Log = (line, measures) => environment.log({ endpoint: 'importFile', ...line }, measures)
const logFault = (error: unknown): void => log(faultLine(error))

/** The file that the event names; undefined for the schedule's. */
function fileIn(event: unknown): string | undefined {
  const { s3, source } = (event ?? {}) as { s3?: unknown; source?: unknown }
  if (s3 === undefined && source === 'aws.events') return undefined
  if (typeof s3 === 'string' && /^[^/]+\/./.test(s3)) return s3
  throw new Error('The event must be { "s3": "bucket/key" }')
}
