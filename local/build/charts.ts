// What an operator sees at a glance, of the service's own metrics: the dashboard on AWS, and the page /status locally.

/** How values of a minute, or of several instances, become one. */
export type Statistic = 'Sum' | 'Average' | 'Maximum' | 'p50' | 'p95' | 'p99'

/** A line of a chart. Where `each` names a dimension there is a line for each of its values. */
export type Line = { metric: string; statistic: Statistic; label: string; each?: 'error_code' }
export type Chart = { title: string; unit?: string; lines: readonly Line[] }

const line = (metric: string, label: string, statistic: Statistic = 'Sum'): Line => ({ metric, statistic, label })

/** handlers/middleware/log.ts has the metrics. */
export const charts: readonly Chart[] = [
  {
    title: 'Calls per minute',
    lines: [line('Requests', 'all'), line('ClientErrors', '4xx'), line('ServerErrors', '5xx')],
  },
  { title: 'Errors per minute', lines: [{ ...line('Errors', 'by code'), each: 'error_code' }] },
  {
    title: 'Latency',
    unit: 'ms',
    lines: [line('Latency', 'p50', 'p50'), line('Latency', 'p95', 'p95'), line('Latency', 'p99', 'p99')],
  },
  { title: 'Cold starts per minute', lines: [line('ColdStarts', 'cold starts')] },
  {
    title: 'Database per call',
    lines: [line('DatabaseRequests', 'requests', 'Average'), line('DatabaseRounds', 'rounds', 'Average')],
  },
  { title: 'Units per minute', lines: [line('ReadUnits', 'read'), line('WriteUnits', 'written')] },
  { title: 'Throttled by the database per minute', lines: [line('DatabaseThrottles', 'attempts')] },
  {
    title: 'Work per minute',
    lines: [line('WorkNoted', 'noted'), line('WorkFinished', 'finished'), line('WorkFailed', 'failed')],
  },
  { title: 'Work left', lines: [line('WorkEntries', 'pieces', 'Maximum')] },
  { title: 'Age of work nobody does', unit: 's', lines: [line('WorkOverdue', 'oldest', 'Maximum')] },
  { title: 'Purge per minute', lines: [line('PurgeRuns', 'runs'), line('UsersPurged', 'users removed')] },
  {
    title: 'Import',
    lines: [line('ImportedRecords', 'done', 'Maximum'), line('RecordsToImport', 'of', 'Maximum')],
  },
]
