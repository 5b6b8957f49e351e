import type { Context as LambdaContext } from 'aws-lambda'
import { workPolicy } from '../../domain/table/dynamo.ts'
import { newRequestStats } from '../../domain/table/requestStats.ts'
import { environment } from './environment.ts'
import { type Measures, measuresOf } from './log.ts'
import { newOpenStore } from './newOpenStore.ts'
import { timeBudget } from './timeBudget.ts'

/** What one run of the worker `operation` works with: its store, time and log. `requests`: the measures of its requests so far. */
export function newWorker(operation: string, lambda: LambdaContext) {
  const stats = newRequestStats()
  const { signal, ...time } = timeBudget(lambda)
  const log = (line: object, measures?: Measures) => environment.log({ endpoint: operation, ...line }, measures)
  const context = { store: newOpenStore(signal, stats, workPolicy), ...time, operation, log }
  return { context, requests: () => measuresOf(stats) }
}
