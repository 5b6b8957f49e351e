// The charts of the service's metrics, for the dashboard on AWS and for the local page /status.

/** How the values of a period, from several instances, become one. */
type Statistic = 'Sum' | 'Average' | 'Maximum' | 'p50' | 'p95' | 'p99'

/** A metric in a chart. If `each` names a dimension, there is a line for each of its values. */
export type ChartLine = { metric: string; statistic: Statistic; label: string; each?: 'error_code' }
/** Without a unit, values are counts in a period: a minute on AWS, less on the page /status. */
export type Chart = { title: string; unit?: string; lines: readonly ChartLine[] }

const line = (metric: string, label: string, statistic: Statistic = 'Sum'): ChartLine => ({ metric, statistic, label })

/** handlers/middleware/log.ts has the metrics. */
export const charts: readonly Chart[] = [
  {
    title: 'Calls',
    lines: [
      line('Requests', 'all'),
      line('TokenRequests', 'by service tokens'),
      line('ClientErrors', '4xx'),
      line('ServerErrors', '5xx'),
      line('KeysUnavailable', 'without the keys of the issuer'),
      line('SlowStrangers', 'slow, without a valid token'),
      line('LoginsFailed', 'logins failed'),
    ],
  },
  { title: 'Errors', lines: [{ ...line('Errors', 'by code'), each: 'error_code' }] },
  {
    title: 'Latency',
    unit: 'ms',
    lines: [line('Latency', 'p50', 'p50'), line('Latency', 'p95', 'p95'), line('Latency', 'p99', 'p99')],
  },
  { title: 'Cold starts', lines: [line('ColdStarts', 'cold starts')] },
  {
    title: 'Database',
    unit: 'per call',
    lines: [line('DatabaseRequests', 'requests', 'Average'), line('DatabaseRounds', 'rounds', 'Average')],
  },
  { title: 'Units', lines: [line('ReadUnits', 'read'), line('WriteUnits', 'written')] },
  { title: 'Throttled by the database', lines: [line('DatabaseThrottles', 'attempts')] },
  {
    title: 'Work',
    lines: [line('WorkNoted', 'noted'), line('WorkFinished', 'finished'), line('WorkFailed', 'failed')],
  },
  {
    title: 'Work left',
    unit: 'pieces',
    lines: [line('WorkEntries', 'all', 'Maximum'), line('WorkStuck', 'stuck', 'Maximum')],
  },
  {
    title: 'Overdue work',
    unit: 's',
    lines: [line('WorkOverdue', 'oldest', 'Maximum'), line('PlanWaiting', 'plan waits for webhooks', 'Maximum')],
  },
  {
    title: 'Webhooks',
    lines: [
      line('Deliveries', 'delivered'),
      line('DeliveryFailures', 'attempts failed'),
      line('DeliveriesStuck', 'runs that could not try'),
      line('WebhooksFailing', 'webhooks failing', 'Maximum'),
      line('WebhooksDisabled', 'webhooks disabled'),
    ],
  },
  {
    title: 'Purge',
    lines: [
      line('PurgeRuns', 'runs'),
      line('UsersPurged', 'users removed'),
      line('TokensExpiring', 'tokens about to expire'),
    ],
  },
  {
    title: 'Import',
    unit: 'records',
    lines: [line('ImportedRecords', 'done', 'Maximum'), line('RecordsToImport', 'of', 'Maximum')],
  },
]
