import { Metrics } from '@aws-lambda-powertools/metrics'
import type { Traffic } from '../../domain/table/requests.ts'

/** What a log line counts, and in which unit. `docs/operate.md` says what each means. */
export const units = {
  Requests: 'Count',
  ClientErrors: 'Count',
  ServerErrors: 'Count',
  Latency: 'Milliseconds',
  ColdStarts: 'Count',
  DatabaseRequests: 'Count',
  DatabaseRounds: 'Count',
  DatabaseThrottles: 'Count',
  ReadUnits: 'Count',
  WriteUnits: 'Count',
  PurgeRuns: 'Count',
  UsersPurged: 'Count',
  WorkNoted: 'Count',
  WorkFinished: 'Count',
  WorkFailed: 'Count',
  WorkEntries: 'Count',
  WorkStuck: 'Count',
  WorkOverdue: 'Seconds',
  ImportedRecords: 'Count',
  RecordsToImport: 'Count',
} as const
export type Measures = { [name in keyof typeof units]?: number }

const made = once(() => ({ all: new Metrics(), byCode: new Metrics() }))

/**
 * Writes a line of JSON. With measures it also is a record in CloudWatch's Embedded Metric Format, of which CloudWatch makes
 * metrics: one line costs less than two, and leads from a metric to the calls behind it.
 */
export function writeLine(line: object, measures?: Measures): void {
  const code = 'error_code' in line ? String(line.error_code) : undefined
  const record = measures ? recordOf(measures, code) : {}
  // Not by console.log: with Lambda's JSON format it would wrap the line, and CloudWatch would find no metrics in it.
  process.stdout.write(`${JSON.stringify({ timestamp: new Date().toISOString(), ...line, ...record })}\n`)
}

/** Lambda Powertools makes the record. Errors are counted by their codes, too: only they have this dimension. */
function recordOf(measures: Measures, code: string | undefined): object {
  const { all, byCode } = made()
  for (const [name, value] of Object.entries(measures)) all.addMetric(name, units[name as keyof Measures], value)
  const record = all.serializeMetrics()
  all.clearMetrics()
  if (code === undefined) return record
  const errors = byCode.addDimension('error_code', code).addMetric('Errors', 'Count', 1).serializeMetrics()
  byCode.clearMetrics()
  byCode.clearDimensions()
  const CloudWatchMetrics = [...record._aws.CloudWatchMetrics, ...errors._aws.CloudWatchMetrics]
  return { ...errors, ...record, _aws: { ...record._aws, CloudWatchMetrics } }
}

/** What a call asked of the database, as measures. */
export const measuresOf = ({ requests, rounds, throttles, readUnits, writeUnits, noted }: Traffic): Measures => ({
  DatabaseRequests: requests,
  DatabaseRounds: rounds,
  ...(throttles > 0 ? { DatabaseThrottles: throttles } : {}),
  ...(readUnits > 0 ? { ReadUnits: readUnits } : {}),
  ...(writeUnits > 0 ? { WriteUnits: writeUnits } : {}),
  ...(noted > 0 ? { WorkNoted: noted } : {}),
})

let isCold = true

/** One for the first call of a function's instance. */
export function coldStart(): Measures {
  const measures = isCold ? { ColdStarts: 1 } : {}
  isCold = false
  return measures
}

/** How a call of an endpoint ended, as measures. */
export const outcomeOf = (status: number, ms: number): Measures => ({
  Requests: 1,
  Latency: ms,
  ...(status >= 500 ? { ServerErrors: 1 } : {}),
  ...(status >= 400 && status < 500 ? { ClientErrors: 1 } : {}),
  ...coldStart(),
})

function once<T>(make: () => T): () => T {
  let value: T | undefined
  return () => (value ??= make())
}
