import { gunzipSync } from 'node:zlib'
import type { Context as LambdaContext } from 'aws-lambda'
import { traceOf } from '../../domain/base/errors.ts'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { onAws, type Progress } from '../../domain/import/importStore.ts'
import { type ImportSummary, talliesOf } from '../../domain/import/importSummary.ts'
import { newTraffic } from '../../domain/table/requests.ts'
import { environment, newStore } from '../middleware/environment.ts'
import { measuresOf } from '../middleware/log.ts'

/** Called by hand: imports a directory. The event is the directory, or `{ gzip }` with the compressed one in base64. */
export const handler = async (event: unknown, context: LambdaContext): Promise<ImportSummary> => {
  const traffic = newTraffic()
  try {
    const summary = await importDirectory(
      {
        store: newStore(undefined, traffic),
        now: environment.now().toISOString(),
        clock: environment.now,
        newId: environment.newId,
        timeLeft: () => context.getRemainingTimeInMillis(),
        onProgress: logged(),
        ...onAws(),
      },
      directoryIn(event),
    )
    // The tallies are enough for a log line: differences and conflicts are listed for the caller.
    const line = { level: 'info', endpoint: 'importDirectory', summary: talliesOf(summary) }
    environment.log(line, measuresOf(traffic))
    return summary
  } catch (error) {
    // The caller is told what to do, the log what has happened.
    environment.log({ level: 'error', endpoint: 'importDirectory', ...traceOf((error as Error).cause ?? error) })
    throw error
  }
}

function directoryIn(event: unknown): unknown {
  const gzip = typeof event === 'object' && event !== null && 'gzip' in event ? event.gzip : undefined
  if (typeof gzip !== 'string') return event
  try {
    return JSON.parse(gunzipSync(Buffer.from(gzip, 'base64')).toString('utf8'))
  } catch {
    throw new Error('gzip must be a directory as JSON, compressed by gzip, in base64')
  }
}

const MILLISECONDS_BETWEEN = 2_000

/** A log line every other second. */
function logged(): (progress: Progress) => void {
  let loggedAt = 0
  return (progress) => {
    const now = environment.now().getTime()
    if (now - loggedAt < MILLISECONDS_BETWEEN) return
    loggedAt = now
    const measures = { ImportedRecords: progress.done, RecordsToImport: progress.total }
    environment.log({ level: 'info', endpoint: 'importDirectory', ...progress }, measures)
  }
}
