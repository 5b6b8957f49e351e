// The dashboard of a stage: its alarms, the service's metrics, and those of the gateway, Lambda and the table.
import { alarmId, alarmsOf, OPERATIONS } from './alarms.ts'
import { type Chart, type ChartLine, charts } from './metricCharts.ts'

type Widget = { type: 'metric' | 'alarm'; properties: Record<string, unknown> }

/** Three in a row of 24 columns. */
const WIDTH = 8
const HEIGHT = 6
const MINUTE = 60

export const dashboardResource = (stage: string) => ({
  Type: 'AWS::CloudWatch::Dashboard',
  Properties: {
    DashboardName: `rollcall-${stage}`,
    // CloudFormation fills in the names of resources.
    DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets: widgetsOf(stage) }) },
  },
})

function widgetsOf(stage: string): object[] {
  const widgets = [...charts.map((chart) => ofService(stage, chart)), ...ofAws]
  return [
    { ...alarmWidget(stage), x: 0, y: 0, width: 3 * WIDTH, height: 3 },
    ...widgets.map((widget, n) => ({
      ...widget,
      x: (n % 3) * WIDTH,
      y: 3 + Math.floor(n / 3) * HEIGHT,
      width: WIDTH,
      height: HEIGHT,
    })),
  ]
}

const alarmWidget = (stage: string): Widget => ({
  type: 'alarm',
  properties: {
    title: 'Alarms',
    alarms: Object.keys(alarmsOf(stage, 1)).map((name) => `\${${alarmId(name)}.Arn}`),
  },
})

const ofService = (stage: string, { title, unit, lines }: Chart): Widget => {
  const series = lines.map((line) => seriesOf(`rollcall-${stage}`, line))
  return graph(`${title} (${unit ?? 'in a minute'})`, series, { yAxis: { left: { min: 0, showUnits: false } } })
}

function seriesOf(service: string, { metric, statistic, label, each }: ChartLine): unknown[] {
  if (!each) return ['Rollcall', metric, 'service', service, { stat: statistic, label }]
  const search = `{Rollcall,service,${each}} MetricName="${metric}" service="${service}"`
  // `!` keeps CloudFormation from replacing this: CloudWatch names each line after its value.
  return [{ expression: `SEARCH('${search}', '${statistic}', ${MINUTE})`, label: `\${!PROP('Dim.${each}')}` }]
}

const graph = (title: string, metrics: readonly unknown[][], also: object = {}): Widget => ({
  type: 'metric',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's
  properties: { title, region: '${AWS::Region}', view: 'timeSeries', period: MINUTE, metrics, ...also },
})

const sum = (label: string) => ({ stat: 'Sum', label })
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: CloudFormation's
const ofAws: readonly Widget[] = [
  graph('Gateway: calls (in a minute)', [
    ['AWS/ApiGateway', 'Count', 'ApiId', '${HttpApi}', sum('all')],
    ['AWS/ApiGateway', '4xx', 'ApiId', '${HttpApi}', sum('4xx')],
    ['AWS/ApiGateway', '5xx', 'ApiId', '${HttpApi}', sum('5xx')],
  ]),
  graph('Gateway: latency (ms)', [
    ['AWS/ApiGateway', 'Latency', 'ApiId', '${HttpApi}', { stat: 'p50', label: 'p50' }],
    ['AWS/ApiGateway', 'Latency', 'ApiId', '${HttpApi}', { stat: 'p99', label: 'p99' }],
  ]),
  graph('Lambda: all functions of the account (in a minute)', [
    ['AWS/Lambda', 'ConcurrentExecutions', { stat: 'Maximum', label: 'at once' }],
    ['AWS/Lambda', 'ClaimedAccountConcurrency', { stat: 'Maximum', label: 'with reserved ones' }],
    ['AWS/Lambda', 'Throttles', sum('throttled')],
    ['AWS/Lambda', 'Errors', sum('failed')],
  ]),
  graph('Table: units (in a minute)', [
    ['AWS/DynamoDB', 'ConsumedReadCapacityUnits', 'TableName', '${TableName}', sum('read')],
    ['AWS/DynamoDB', 'ConsumedWriteCapacityUnits', 'TableName', '${TableName}', sum('written')],
  ]),
  graph(
    'Table: failures of DynamoDB (in a minute)',
    OPERATIONS.map((name) => [
      'AWS/DynamoDB',
      'SystemErrors',
      'TableName',
      '${TableName}',
      'Operation',
      name,
      sum(name),
    ]),
  ),
  graph('Failed events', [
    [
      'AWS/SQS',
      'ApproximateNumberOfMessagesVisible',
      'QueueName',
      '${FailedEvents.QueueName}',
      { stat: 'Maximum', label: 'in the queue' },
    ],
  ]),
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: CloudFormation's
