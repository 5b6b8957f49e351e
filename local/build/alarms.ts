// The alarms of a stage. docs/operate.md explains each alarm and what to do.
import type { Values } from './stageParameters.ts'

type Metric = { namespace: string; name: string; statistic: string; dimensions: Readonly<Record<string, unknown>> }
type Alarm = {
  /** Its meaning in a line. The runbook has the rest. */
  means: string
  /** Its metrics, by the names that `expression` uses; a single metric needs no expression. */
  metrics: Readonly<Record<string, Metric>>
  expression?: string
  /** It fires at this value and above; with `below`, under it. */
  from: number
  below?: true
  /** The length of a period, by default five minutes. */
  minutes?: number
  /** How many of how many last periods must reach the value; by default the last one. */
  periods?: { of: number; last: number }
  /** Whether it rolls back an update during which it fires. CloudFormation takes five of these. */
  rollsBack?: true
}

/** The requests that domain/table/dynamo.ts makes. */
export const OPERATIONS = ['BatchGetItem', 'Query', 'TransactWriteItems', 'BatchWriteItem']

// The objectives: 99.9 % of calls end without a 5xx, and 99 % of calls within a second. The error budget of a month is used up in
// two days at a burn rate of 14.4, and in five days at 6 (Google's SRE Workbook, "Alerting on SLOs").
const ERROR_PERCENT = 0.1
const SLOW_PERCENT = 1
const FAST_BURN = 14.4
const SLOW_BURN = 6
const HOUR = 60

/** A percentage, or 0 if there are too few cases for one. */
const percentIf = (enough: string, part: string, whole: string): string =>
  `IF(${enough}, 100 * ${part} / (${whole}), 0)`

const own = (stage: string, name: string, statistic = 'Sum'): Metric => ({
  namespace: 'Rollcall',
  name,
  statistic,
  dimensions: { service: `rollcall-${stage}` },
})
const ofGateway = (name: string, statistic = 'Sum'): Metric => ({
  namespace: 'AWS/ApiGateway',
  name,
  statistic,
  dimensions: { ApiId: { Ref: 'HttpApi' } },
})
// Without a dimension these cover all functions of the account and region, which share its concurrency.
const ofFunctions = (name: string, statistic = 'Sum'): Metric => ({
  namespace: 'AWS/Lambda',
  name,
  statistic,
  dimensions: {},
})
const systemErrors = (Operation: string): Metric => ({
  namespace: 'AWS/DynamoDB',
  name: 'SystemErrors',
  statistic: 'Sum',
  dimensions: { TableName: { Ref: 'TableName' }, Operation },
})

const serverErrors = {
  metrics: { errors: ofGateway('5xx'), calls: ofGateway('Count') },
  expression: percentIf('errors >= 5', 'errors', 'calls'),
}
// A 503 because the issuer's keys cannot be had tells nothing of a new version, and anybody can cause some of them.
const ownErrors = (stage: string) => ({
  metrics: { ...serverErrors.metrics, keys: own(stage, 'KeysUnavailable') },
  expression: percentIf('errors - FILL(keys, 0) >= 5', '(errors - FILL(keys, 0))', 'calls'),
})
const slowCalls = {
  metrics: { slow: ofGateway('Latency', 'PR(1000:)'), calls: ofGateway('Count') },
  expression: 'IF(calls >= 100, slow, 0)',
}
// Where the issuer is slow, anybody can make calls slow by tokens of unknown keys.
const ownSlowCalls = (stage: string) => ({
  metrics: { ...slowCalls.metrics, strangers: own(stage, 'SlowStrangers') },
  expression: 'IF(calls >= 100, slow - 100 * FILL(strangers, 0) / calls, 0)',
})

export const alarmsOf = (stage: string, accountConcurrency: number): Readonly<Record<string, Alarm>> => ({
  ServerErrors: {
    means: 'Callers get 5xx so often that the error budget of a month lasts two days',
    ...ownErrors(stage),
    from: FAST_BURN * ERROR_PERCENT,
    rollsBack: true,
  },
  ServerErrorsHour: {
    means: 'For an hour callers have got 5xx so often that the error budget of a month lasts five days',
    ...serverErrors,
    minutes: HOUR,
    from: SLOW_BURN * ERROR_PERCENT,
  },
  SlowCalls: {
    means: 'Calls take longer than a second so often that the error budget of a month lasts two days',
    ...ownSlowCalls(stage),
    from: FAST_BURN * SLOW_PERCENT,
    rollsBack: true,
  },
  SlowCallsHour: {
    means:
      'For an hour calls have taken longer than a second so often that the error budget of a month lasts five days',
    ...slowCalls,
    minutes: HOUR,
    from: SLOW_BURN * SLOW_PERCENT,
  },
  LoginsFailed: {
    // Lambda's count of errors does not help: a refused user is an error, too.
    means: 'Cognito users cannot log in, because the database cannot be reached',
    metrics: { failed: own(stage, 'LoginsFailed') },
    from: 1,
    rollsBack: true,
  },
  DatabaseThrottled: {
    means: 'DynamoDB throttles 5 % of the requests to the table',
    metrics: { throttled: own(stage, 'DatabaseThrottles'), requests: own(stage, 'DatabaseRequests') },
    // Throttled requests are sent again, so there are more attempts than requests.
    expression: percentIf('throttled >= 20', 'throttled', 'requests + throttled'),
    from: 5,
    periods: { of: 2, last: 3 },
  },
  TableErrors: {
    means: 'DynamoDB itself fails 1 % of the requests',
    metrics: {
      requests: own(stage, 'DatabaseRequests'),
      ...Object.fromEntries(OPERATIONS.map((operation, n) => [`errors${n}`, systemErrors(operation)])),
    },
    expression: percentIf('SUM(METRICS("errors")) >= 5', 'SUM(METRICS("errors"))', 'requests'),
    from: 1,
  },
  ConcurrencyHigh: {
    means: '80 % of the concurrent functions of the account are in use or reserved',
    metrics: { claimed: ofFunctions('ClaimedAccountConcurrency', 'Maximum') },
    expression: `100 * claimed / ${accountConcurrency}`,
    from: 80,
  },
  FunctionsThrottled: {
    means: 'Lambda refuses 1 % of the calls of functions: a limit of concurrency is reached',
    metrics: { refused: ofFunctions('Throttles'), started: ofFunctions('Invocations') },
    expression: percentIf('refused >= 1', 'refused', 'started + refused'),
    from: 1,
  },
  WorkOverdue: {
    means: 'Noted work is ten minutes overdue',
    metrics: { oldest: own(stage, 'WorkOverdue', 'Maximum') },
    from: 600,
  },
  PlanWaiting: {
    means: 'A plan has been waiting for webhooks for ten minutes',
    metrics: { longest: own(stage, 'PlanWaiting', 'Maximum') },
    from: 600,
  },
  WorkFailed: {
    // Work that fails once is retried a minute later; work that cannot succeed fails at least twice in a quarter of an hour.
    means: 'Noted work or the purge fails again and again',
    metrics: { failed: own(stage, 'WorkFailed') },
    from: 1,
    periods: { of: 2, last: 3 },
    rollsBack: true,
  },
  WorkStuck: {
    // Attempts become rare, up to six hours apart: WorkFailed then ends, and this alarm continues.
    means: 'Noted work has failed three times, and waits for its next attempt',
    metrics: { stuck: own(stage, 'WorkStuck', 'Maximum') },
    from: 1,
  },
  WebhooksFailing: {
    means: 'The receiver of a webhook has failed for a quarter of an hour',
    metrics: { failing: own(stage, 'WebhooksFailing', 'Maximum') },
    from: 1,
    periods: { of: 3, last: 3 },
  },
  DeliveriesStuck: {
    // A failed run is repeated a minute later.
    means: 'Deliveries of webhooks cannot be tried: KMS or the table fails',
    metrics: { stuck: own(stage, 'DeliveriesStuck') },
    from: 1,
    periods: { of: 2, last: 3 },
  },
  PurgeMissing: {
    means: 'The schedule has not run for five minutes',
    metrics: { runs: own(stage, 'PurgeRuns') },
    from: 1,
    below: true,
  },
  TokensExpiring: {
    means: 'A service token expires in 30 or in 7 days',
    metrics: { expiring: own(stage, 'TokensExpiring') },
    from: 1,
  },
  EventsFailed: {
    means: 'An event of the schedule, of the stream or of an import has failed',
    metrics: {
      messages: {
        namespace: 'AWS/SQS',
        name: 'ApproximateNumberOfMessagesVisible',
        statistic: 'Maximum',
        dimensions: { QueueName: { 'Fn::GetAtt': ['FailedEvents', 'QueueName'] } },
      },
    },
    from: 1,
    rollsBack: true,
  },
})

/** The names of the alarms that roll back an update. */
export const alarmsThatRollBack = (stage: string): string[] =>
  Object.entries(alarmsOf(stage, 1)).flatMap(([name, { rollsBack }]) => (rollsBack ? [alarmName(stage, name)] : []))

type Resource = { Type: string; Properties: Record<string, unknown> }

/** The alarms of a stage as resources, and a topic for an e-mail address. */
export function alarmResources(stage: string, values: Values): Record<string, Resource> {
  const { alarmEmail, alarmTopicArn, accountConcurrency } = values
  const topic = alarmEmail ? topicFor(String(alarmEmail)) : {}
  const receivers = alarmTopicArn ? [alarmTopicArn] : alarmEmail ? [{ Ref: 'AlarmTopic' }] : []
  const alarms = Object.entries(alarmsOf(stage, Number(accountConcurrency))).map(([name, alarm]) => [
    alarmId(name),
    resourceOf(alarmName(stage, name), alarm, receivers),
  ])
  return { ...topic, ...Object.fromEntries(alarms) }
}

export const alarmId = (name: string): string => `${name}Alarm`
const alarmName = (stage: string, name: string): string => `rollcall-${stage}-${name}`

const resourceOf = (AlarmName: string, alarm: Alarm, receivers: readonly unknown[]): Resource => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmName,
    AlarmDescription: `${alarm.means}. What to do: docs/operate.md, Alarms.`,
    ...measured(alarm),
    ComparisonOperator: alarm.below ? 'LessThanThreshold' : 'GreaterThanOrEqualToThreshold',
    Threshold: alarm.from,
    EvaluationPeriods: alarm.periods?.last ?? 1,
    DatapointsToAlarm: alarm.periods?.of ?? 1,
    // Missing data is good, except for an alarm that expects something to happen.
    TreatMissingData: alarm.below ? 'breaching' : 'notBreaching',
    AlarmActions: receivers,
    OKActions: receivers,
  },
})

function measured({ metrics, expression, minutes = 5 }: Alarm): Record<string, unknown> {
  const Period = minutes * 60
  const all = Object.entries(metrics).map(([Id, { namespace, name, statistic, dimensions }]) => {
    const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }))
    const Metric = { Namespace: namespace, MetricName: name, Dimensions }
    return { Id, MetricStat: { Metric, Period, Stat: statistic }, ReturnData: expression === undefined }
  })
  return {
    Metrics: expression === undefined ? all : [...all, { Id: 'value', Expression: expression, ReturnData: true }],
  }
}

/** A topic that sends mails. It is not encrypted: CloudWatch cannot use AWS's key, and an alarm has no data of users. */
const topicFor = (email: string): Record<string, Resource> => ({
  AlarmTopic: {
    Type: 'AWS::SNS::Topic',
    Properties: { Subscription: [{ Protocol: 'email', Endpoint: email }] },
  },
  AlarmTopicPolicy: {
    Type: 'AWS::SNS::TopicPolicy',
    Properties: {
      Topics: [{ Ref: 'AlarmTopic' }],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: 'sns:Publish',
            Resource: { Ref: 'AlarmTopic' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          },
          {
            Effect: 'Deny',
            Principal: '*',
            Action: 'sns:Publish',
            Resource: { Ref: 'AlarmTopic' },
            Condition: { Bool: { 'aws:SecureTransport': false } },
          },
        ],
      },
    },
  },
})
