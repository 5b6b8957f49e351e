import { gunzipSync } from 'node:zlib'
import type { Context as LambdaContext } from 'aws-lambda'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { type ImportSummary, talliesOf } from '../../domain/import/importSummary.ts'
import { runImport } from '../middleware/runImport.ts'

/** Called by hand: imports a directory. The event is the directory, or `{ gzip }` with the compressed one in base64. */
export const handler = (event: unknown, lambda: LambdaContext): Promise<ImportSummary> =>
  runImport('importDirectory', lambda, async (context, log) => {
    const summary = await importDirectory(context, directoryIn(event))
    // The tallies are enough for a log line: differences and conflicts are listed for the caller.
    log.ended({ summary: talliesOf(summary) })
    return summary
  })

/** The most bytes of an unpacked directory: a few packed megabytes could fill the memory. */
const MOST_DIRECTORY_BYTES = 200_000_000

function directoryIn(event: unknown): unknown {
  const gzip = typeof event === 'object' && event !== null && 'gzip' in event ? event.gzip : undefined
  if (typeof gzip !== 'string') return event
  try {
    // It drops a byte order mark, which some editors write first.
    return JSON.parse(
      new TextDecoder().decode(gunzipSync(Buffer.from(gzip, 'base64'), { maxOutputLength: MOST_DIRECTORY_BYTES })),
    )
  } catch {
    throw new Error('gzip must be a directory as JSON of at most 200 MB, compressed by gzip, in base64')
  }
}
