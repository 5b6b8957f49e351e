import type { Context as LambdaContext } from 'aws-lambda'
import { traceOf } from '../../domain/base/errors.ts'
import { type ImportContext, type ImportProgress, onAws } from '../../domain/import/importContext.ts'
import { systemCause } from '../../domain/table/actions.ts'
import { workPolicy } from '../../domain/table/dynamo.ts'
import { newRequestStats } from '../../domain/table/requestStats.ts'
import { environment, requireLayout } from './environment.ts'
import { type Measures, measuresOf } from './log.ts'
import { newOpenStore } from './newOpenStore.ts'

/** Milliseconds between two lines of progress. */
const BETWEEN_MS = 10_000

type RunContext = ImportContext & Required<Pick<ImportContext, 'clock' | 'timeLeft'>>
/** What an import logs: at its end a line for each file, or what has gone wrong. */
type Log = { ended: (...lines: readonly object[]) => void; failed: (error: unknown) => void }

/**
 * Runs an import in the function `name`: makes its context, and writes its log. A fault is logged and thrown, so that the caller
 * sees what to do. Every ten seconds a log line has the progress.
 */
export async function runImport<T>(
  name: string,
  lambda: LambdaContext,
  run: (context: RunContext, log: Log) => Promise<T>,
): Promise<T> {
  const stats = newRequestStats()
  const write = (line: object, measures?: Measures) => environment.log({ endpoint: name, ...line }, measures)
  const failed = (error: unknown): void => {
    const { cause } = error as Error
    write({ level: 'error', ...traceOf(cause instanceof Error ? cause : error) })
  }
  // Only the first line has the requests to the table, so that they count once, however many files there are.
  const ended: Log['ended'] = (...lines) => {
    for (const [n, line] of lines.entries()) write({ level: 'info', ...line }, n === 0 ? measuresOf(stats) : undefined)
  }
  let loggedAt = 0
  const onProgress = (progress: ImportProgress): void => {
    const now = environment.clock().getTime()
    if (now - loggedAt < BETWEEN_MS) return
    loggedAt = now
    write({ level: 'info', ...progress }, { ImportedRecords: progress.done, RecordsToImport: progress.total })
  }
  const store = newOpenStore(undefined, stats, workPolicy).causedBy(systemCause(name, lambda.awsRequestId))
  const { clock, newId } = environment
  const timeLeft = () => lambda.getRemainingTimeInMillis()
  try {
    await requireLayout(store)
    return await run(
      { store, now: clock().toISOString(), clock, newId, timeLeft, onProgress, ...onAws() },
      { ended, failed },
    )
  } catch (error) {
    failed(error)
    throw error
  }
}
