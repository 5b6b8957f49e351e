import { gunzipSync } from 'node:zlib'
import type { Context as LambdaContext } from 'aws-lambda'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { type ImportSummary, talliesOf } from '../../domain/import/importSummary.ts'
import { newTraffic } from '../../domain/table/requests.ts'
import { environment, measuresOf, requireLayout } from '../middleware/environment.ts'
import { faultLine, importContext, type Log } from '../middleware/importing.ts'

/** Called by hand: imports a directory. The event is the directory, or `{ gzip }` with the compressed one in base64. */
export const handler = async (event: unknown, context: LambdaContext): Promise<ImportSummary> => {
  const traffic = newTraffic()
  const importing = importContext('importDirectory', context, { traffic, log })
  try {
    await requireLayout(importing.store)
    const summary = await importDirectory(importing, directoryIn(event))
    // The tallies are enough for a log line: differences and conflicts are listed for the caller.
    log({ level: 'info', summary: talliesOf(summary) }, measuresOf(traffic))
    return summary
  } catch (error) {
    log(faultLine(error))
    throw error
  }
}

const log: Log = (line, measures) => environment.log({ endpoint: 'importDirectory', ...line }, measures)

function directoryIn(event: unknown): unknown {
  const gzip = typeof event === 'object' && event !== null && 'gzip' in event ? event.gzip : undefined
  if (typeof gzip !== 'string') return event
  try {
    // It drops a byte order mark, which some editors write first.
    return JSON.parse(new TextDecoder().decode(gunzipSync(Buffer.from(gzip, 'base64'))))
  } catch {
    throw new Error('gzip must be a directory as JSON, compressed by gzip, in base64')
  }
}
