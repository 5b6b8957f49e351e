// The metrics in the log as CloudWatch computes them, for the page /status: sums, averages and percentiles of the last minutes.
import { type Chart, type ChartLine, charts } from '../../build/metricCharts.ts'

/** The seconds of one step, and how many steps the page shows: a quarter of an hour. */
export const STEP = 10
const STEPS = 90

export type Shown = {
  step: number
  /** When the last step ends, in milliseconds. */
  until: number
  charts: { title: string; unit: string; lines: { label: string; values: (number | null)[] }[] }[]
}

/** Values by step. */
type Series = Map<number, number[]>

/** A line of the log in CloudWatch's Embedded Metric Format. */
type Logged = { _aws?: { CloudWatchMetrics?: { Metrics: { Name: string }[] }[] }; error_code?: unknown }

export class Measured {
  private readonly all = new Map<string, Series>()
  private readonly clock: () => number
  constructor(clock: () => number = Date.now) {
    this.clock = clock
  }

  /** Takes the metrics of a line of output; any other line has none. */
  addLine(line: string): void {
    if (!line.startsWith('{') || !line.includes('"CloudWatchMetrics"')) return
    const logged = JSON.parse(line) as Logged & Record<string, unknown>
    const names = logged._aws?.CloudWatchMetrics?.flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name)) ?? []
    const { Errors: _counted, ...measures } = Object.fromEntries(names.map((name) => [name, Number(logged[name])]))
    this.add(measures, typeof logged.error_code === 'string' ? logged.error_code : undefined)
  }

  add(measures: Readonly<Record<string, number | undefined>>, errorCode?: string): void {
    for (const [name, value] of Object.entries(measures)) if (value !== undefined) this.note(name, value)
    if (errorCode) this.note(`Errors ${errorCode}`, 1)
  }

  private note(name: string, value: number): void {
    const step = this.stepNow()
    const series = this.all.get(name) ?? new Map<number, number[]>()
    this.all.set(name, series)
    const values = series.get(step)
    if (values) return void values.push(value)
    series.set(step, [value])
    for (const old of series.keys()) if (old <= step - STEPS) series.delete(old)
  }

  private readonly stepNow = () => Math.floor(this.clock() / 1000 / STEP)

  shown(): Shown {
    const last = this.stepNow()
    return { step: STEP, until: (last + 1) * STEP * 1000, charts: charts.map((chart) => this.chart(chart, last)) }
  }

  private chart({ title, unit = '', lines }: Chart, last: number) {
    return { title, unit, lines: lines.flatMap((line) => this.lines(line, last)) }
  }

  private lines({ metric, statistic, label, each }: ChartLine, last: number) {
    const names = each ? [...this.all.keys()].filter((name) => name.startsWith(`${metric} `)).sort() : [metric]
    return names.map((name) => ({
      label: each ? name.slice(metric.length + 1) : label,
      values: Array.from({ length: STEPS }, (_, n) =>
        combined(statistic, this.all.get(name)?.get(last - STEPS + 1 + n) ?? []),
      ),
    }))
  }
}

function combined(statistic: ChartLine['statistic'], values: readonly number[]): number | null {
  const sum = values.reduce((total, value) => total + value, 0)
  if (statistic === 'Sum') return sum
  if (values.length === 0) return null
  if (statistic === 'Average') return sum / values.length
  if (statistic === 'Maximum') return Math.max(...values)
  const sorted = values.toSorted((a, b) => a - b)
  const share = Number(statistic.slice(1)) / 100
  return sorted[Math.ceil(share * sorted.length) - 1] ?? null
}
