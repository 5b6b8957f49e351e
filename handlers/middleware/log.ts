import { createHmac } from 'node:crypto'
import { Metrics } from '@aws-lambda-powertools/metrics'
import { lazily } from '../../domain/base/memory.ts'
import { actorOf } from '../../domain/request/actor.ts'
import type { RequestStats } from '../../domain/table/requestStats.ts'

// The log: lines of JSON, and the metrics in them.

/** The metrics in log lines, with their units. `docs/operate.md` explains them. */
export const units = {
  Requests: 'Count',
  TokenRequests: 'Count',
  ClientErrors: 'Count',
  ServerErrors: 'Count',
  KeysUnavailable: 'Count',
  SlowStrangers: 'Count',
  Latency: 'Milliseconds',
  ColdStarts: 'Count',
  DatabaseRequests: 'Count',
  DatabaseRounds: 'Count',
  DatabaseThrottles: 'Count',
  ReadUnits: 'Count',
  WriteUnits: 'Count',
  LoginsFailed: 'Count',
  PurgeRuns: 'Count',
  UsersPurged: 'Count',
  TokensExpiring: 'Count',
  WorkNoted: 'Count',
  WorkFinished: 'Count',
  WorkFailed: 'Count',
  WorkEntries: 'Count',
  WorkStuck: 'Count',
  WorkOverdue: 'Seconds',
  PlanWaiting: 'Seconds',
  Deliveries: 'Count',
  DeliveryFailures: 'Count',
  DeliveriesStuck: 'Count',
  WebhooksFailing: 'Count',
  WebhooksDisabled: 'Count',
  ImportedRecords: 'Count',
  RecordsToImport: 'Count',
} as const
export type Measures = { [name in keyof typeof units]?: number }

/** Characters of a hash: 72 bits, enough to tell all users of an organisation apart. */
const HASH_LENGTH = 12

/**
 * A caller in a log line. A user is shown as a hash of the id with the stage's key, as ids can be names and can be guessed;
 * without a key, not at all. Ids of service tokens are random, so they are shown.
 */
export function actorInLog(actorId: string | undefined): { actor?: string; service_token?: string } {
  if (actorId === undefined) return {}
  const { kind, id } = actorOf(actorId)
  if (kind === 'SERVICE_TOKEN') return { service_token: id }
  const key = process.env.ACTOR_LOG_KEY
  return key ? { actor: createHmac('sha256', key).update(id).digest('base64url').slice(0, HASH_LENGTH) } : {}
}

const metrics = lazily(() => ({ all: new Metrics(), byCode: new Metrics() }))

/**
 * Writes a line of JSON. With measures, the line is also a record in CloudWatch's Embedded Metric Format: one line costs less than
 * two, and leads from a metric to the calls behind it.
 */
export function writeLine(line: object, measures?: Measures): void {
  const code = 'error_code' in line ? String(line.error_code) : undefined
  const record = measures ? recordOf(measures, code) : {}
  // Not by console.log: with Lambda's JSON format it would wrap the line, and CloudWatch would find no metrics in it.
  process.stdout.write(`${JSON.stringify({ timestamp: new Date().toISOString(), ...line, ...record })}\n`)
}

/** The record, made by Lambda Powertools. Errors are also counted by code; only they have this dimension. */
function recordOf(measures: Measures, code: string | undefined): object {
  const { all, byCode } = metrics()
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

/** The requests of a call to the database, as measures. */
export const measuresOf = ({
  requests,
  waves,
  throttles,
  readUnits,
  writeUnits,
  notedWork,
}: RequestStats): Measures => ({
  DatabaseRequests: requests,
  DatabaseRounds: waves,
  ...(throttles > 0 ? { DatabaseThrottles: throttles } : {}),
  ...(readUnits > 0 ? { ReadUnits: readUnits } : {}),
  ...(writeUnits > 0 ? { WriteUnits: writeUnits } : {}),
  ...(notedWork > 0 ? { WorkNoted: notedWork } : {}),
})

let isCold = true

/** ColdStarts: 1 in the first call of an instance, else nothing. */
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
