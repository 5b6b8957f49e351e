import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { Metrics } from '@aws-lambda-powertools/metrics'
import { boundedMap, type ReadPoint, remembered } from '../../domain/base/memory.ts'
import { actorOf } from '../../domain/request/actor.ts'
import type { PageEnd } from '../../domain/request/context.ts'
import { documentClient, type Policy, type RequestStats, type Table } from '../../domain/table/dynamo.ts'
import { acceptLayout, readLayout } from '../../domain/table/layout.ts'
import type { Reads } from '../../domain/table/store.ts'

type Client = ReturnType<typeof documentClient>

let client: Client | undefined

/** The end of a page takes up to a few kilobytes: its position, and the filters in its name. */
const MOST_PAGE_ENDS = 500

/** What a function uses from outside: clock, ids, table, log. Created on first use, and kept while the instance lives. */
export const environment = {
  now: (): Date => new Date(),
  newId: (): string => randomUUID(),
  newSecret: (): Uint8Array => randomBytes(32),
  client: (): Client => (client ??= documentClient()),
  /** Whether calls use remembered settings, refusals and work. Most tests switch it off. */
  remembers: true,
  log: writeLine,
  pageEnds: boundedMap<string, PageEnd>(MOST_PAGE_ENDS),
}

const tableName = (): string => process.env.TABLE_NAME ?? 'rollcall'

/** The time and the table by which remembered values are looked up. */
export const readPoint = (now = environment.now()): ReadPoint => ({ now, table: tableName() })

/** The table of one call. Once its signal is aborted, nothing more is sent. */
export const newTable = (signal?: () => AbortSignal | undefined, stats?: RequestStats, policy?: Policy): Table => ({
  client: environment.client(),
  name: tableName(),
  newToken: randomUUID,
  signal,
  stats,
  policy,
})

/** Environment variables are missing: a fault of the deployment. The log names them. */
export class NotConfigured extends Error {
  override name = 'NotConfigured'
  readonly missing: readonly string[]
  constructor(missing: readonly string[]) {
    super(`${missing.join(' and ')} must be set`)
    this.missing = missing
  }
}

// Pure: a function that only logs does not load the table.
const layout = /* @__PURE__ */ remembered(readLayout, { ms: 60_000 })

/** Refuses to work on a table whose layout this version does not know. The layout is read once a minute. */
export const requireLayout = async (store: Reads): Promise<void> => acceptLayout(await layout.read(store, readPoint()))

// The log.

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

/** Makes a value at the first call, and keeps it. */
export function lazily<T>(make: () => T): () => T {
  let value: T | undefined
  return () => (value ??= make())
}
