import type { Context as LambdaContext } from 'aws-lambda'
import { traceOf } from '../../domain/base/errors.ts'
import { onAws, type Progress } from '../../domain/import/importStore.ts'
import type { Traffic } from '../../domain/table/requests.ts'
import { byItself } from '../../domain/table/store.ts'
import type { Measures } from './environment.ts'
import { environment, newStore } from './environment.ts'

/** Writes a line of an import's log. */
export type Log = (line: object, measures?: Measures) => void

/** Milliseconds between two lines of progress. */
const BETWEEN_MS = 10_000

/** What an import needs from its function, by name. It logs its progress every ten seconds. */
export function importContext(name: string, lambda: LambdaContext, { traffic, log }: { traffic: Traffic; log: Log }) {
  let loggedAt = 0
  return {
    store: newStore(undefined, traffic).by(byItself(name, lambda.awsRequestId)),
    now: environment.now().toISOString(),
    clock: environment.now,
    newId: environment.newId,
    timeLeft: () => lambda.getRemainingTimeInMillis(),
    onProgress: (progress: Progress) => {
      const now = environment.now().getTime()
      if (now - loggedAt < BETWEEN_MS) return
      loggedAt = now
      log({ level: 'info', ...progress }, { ImportedRecords: progress.done, RecordsToImport: progress.total })
    },
    ...onAws(),
  }
}

/** What has happened: the caller is told what to do. */
export function faultLine(error: unknown): object {
  const { cause } = error as Error
  return { level: 'error', ...traceOf(cause instanceof Error ? cause : error) }
}
