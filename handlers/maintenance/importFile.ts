import type { Context as LambdaContext } from 'aws-lambda'
import { type RunReport, resumeImports, startImport } from '../../domain/import/importRun.ts'
import { talliesOf } from '../../domain/import/importSummary.ts'
import { s3File } from '../../domain/import/s3File.ts'
import { runImport } from '../middleware/runImport.ts'

/**
 * Imports a directory of any size, a file of lines in S3: called by hand with `{ "s3": "bucket/key" }`. Called by the
 * schedule, it continues imports that ran out of time or died.
 */
export const handler = (event: unknown, lambda: LambdaContext): Promise<RunReport[]> =>
  runImport('importFile', lambda, async (context, log) => {
    const file = fileIn(event)
    const reports = file ? [await startImport(context, file, s3File)] : await resumeImports(context, s3File, log.failed)
    log.ended(
      ...reports.map(({ state, line, lines, ...summary }) => ({ state, line, lines, summary: talliesOf(summary) })),
    )
    return reports
  })

/** The file that the event names; undefined for the schedule's. */
function fileIn(event: unknown): string | undefined {
  const { s3, source } = (event ?? {}) as { s3?: unknown; source?: unknown }
  if (s3 === undefined && source === 'aws.events') return undefined
  if (typeof s3 === 'string' && /^[^/]+\/./.test(s3)) return s3
  throw new Error('The event must be { "s3": "bucket/key" }')
}
