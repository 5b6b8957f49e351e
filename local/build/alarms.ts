// The alarms of a stage. docs/operate.md says what each means and what to do.

type Metric = { namespace: string; name: string; statistic: 'Sum' | 'Maximum'; dimensions: Record<string, unknown> }
type Alarm = {
  /** What it means, in a line. The runbook has the rest. */
  means: string
  metric: Metric
  /** Where one metric does not tell: these dimensions, a metric each, are added up. */
  summed?: { dimension: string; values: readonly string[] }
  /** It rings from this value on (`below`: under it). */
  from: number
  below?: true
  /** How many of the last periods of five minutes must be so. */
  periods?: { of: number; last: number }
}

const MINUTES = 5

/** The requests that domain/table/dynamo.ts makes. */
export const OPERATIONS = ['BatchGetItem', 'Query', 'TransactWriteItems', 'BatchWriteItem']

const own = (stage: string, name: string, statistic: Metric['statistic'] = 'Sum'): Metric => ({
  namespace: 'Rollcall',
  name,
  statistic,
  dimensions: { service: `rollcall-${stage}` },
})

export const alarmsOf = (stage: string): Readonly<Record<string, Alarm>> => ({
  ServerErrors: {
    means: 'Callers get 5xx: five or more in five minutes',
    metric: { namespace: 'AWS/ApiGateway', name: '5xx', statistic: 'Sum', dimensions: { ApiId: { Ref: 'HttpApi' } } },
    from: 5,
  },
  LoginsFailed: {
    // Lambda's own count of errors would not tell: a refused user is one, too.
    means: 'Cognito users cannot log in, as the directory cannot be asked',
    metric: own(stage, 'LoginsFailed'),
    from: 1,
  },
  DatabaseThrottled: {
    means: 'DynamoDB throttles the table or one of its partitions',
    metric: own(stage, 'DatabaseThrottles'),
    from: 100,
    periods: { of: 2, last: 3 },
  },
  TableErrors: {
    means: 'DynamoDB itself fails',
    metric: {
      namespace: 'AWS/DynamoDB',
      name: 'SystemErrors',
      statistic: 'Sum',
      dimensions: { TableName: { Ref: 'TableName' } },
    },
    summed: { dimension: 'Operation', values: OPERATIONS },
    from: 5,
  },
  FunctionsThrottled: {
    // Without a dimension it is of all functions of the account and region: they share the concurrency that is used up.
    means: 'Lambda starts no more functions: the concurrency of the account is used up',
    metric: { namespace: 'AWS/Lambda', name: 'Throttles', statistic: 'Sum', dimensions: {} },
    from: 1,
  },
  WorkOverdue: {
    means: 'Noted work has waited for ten minutes',
    metric: own(stage, 'WorkOverdue', 'Maximum'),
    from: 600,
  },
  WorkFailed: {
    // Work that fails once is tried again a minute later; what fails for good fails at least twice in a quarter of an hour.
    means: 'Noted work or the purge fails again and again',
    metric: own(stage, 'WorkFailed'),
    from: 1,
    periods: { of: 2, last: 3 },
  },
  WorkStuck: {
    // Its attempts become rare, up to six hours apart: then WorkFailed is over, and this is not.
    means: 'Noted work fails for good, and waits for its next attempt',
    metric: own(stage, 'WorkStuck', 'Maximum'),
    from: 1,
  },
  PurgeMissing: {
    means: 'The schedule has not run for five minutes',
    metric: own(stage, 'PurgeRuns'),
    from: 1,
    below: true,
  },
  EventsFailed: {
    means: 'The schedule, the stream or an import had an event that came to nothing',
    metric: {
      namespace: 'AWS/SQS',
      name: 'ApproximateNumberOfMessagesVisible',
      statistic: 'Maximum',
      dimensions: { QueueName: { 'Fn::GetAtt': ['FailedEvents', 'QueueName'] } },
    },
    from: 1,
  },
})

type Resource = { Type: string; Properties: Record<string, unknown> }
/** Who is told: an e-mail address, or a topic that is there already; else nobody. */
export type Told = { email: string; topicArn: string }

/** The alarms of a stage as resources, and a topic for an e-mail address. */
export function alarmResources(stage: string, { email, topicArn }: Told): Record<string, Resource> {
  const own = email && !topicArn ? topicFor(email) : {}
  const told = topicArn ? [topicArn] : Object.keys(own).length > 0 ? [{ Ref: 'AlarmTopic' }] : []
  const alarms = Object.entries(alarmsOf(stage)).map(([name, alarm]) => [
    alarmId(name),
    resourceOf(`rollcall-${stage}-${name}`, alarm, told),
  ])
  return { ...own, ...Object.fromEntries(alarms) }
}

export const alarmId = (name: string): string => `${name}Alarm`

const resourceOf = (AlarmName: string, alarm: Alarm, told: readonly unknown[]): Resource => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmName,
    AlarmDescription: `${alarm.means}. What to do: docs/operate.md, Alarms.`,
    ...measured(alarm),
    ComparisonOperator: alarm.below ? 'LessThanThreshold' : 'GreaterThanOrEqualToThreshold',
    Threshold: alarm.from,
    EvaluationPeriods: alarm.periods?.last ?? 1,
    DatapointsToAlarm: alarm.periods?.of ?? 1,
    // No value is a good sign, but where something must happen.
    TreatMissingData: alarm.below ? 'breaching' : 'notBreaching',
    AlarmActions: told,
    OKActions: told,
  },
})

function measured({ metric, summed }: Alarm): Record<string, unknown> {
  const { namespace: Namespace, name: MetricName, statistic } = metric
  const Period = MINUTES * 60
  const dimensionsOf = (all: object) => Object.entries(all).map(([Name, Value]) => ({ Name, Value }))
  if (!summed)
    return { Namespace, MetricName, Statistic: statistic, Period, Dimensions: dimensionsOf(metric.dimensions) }
  const each = summed.values.map((value, n) => {
    const Dimensions = dimensionsOf({ ...metric.dimensions, [summed.dimension]: value })
    const MetricStat = { Metric: { Namespace, MetricName, Dimensions }, Period, Stat: statistic }
    return { Id: `m${n}`, MetricStat, ReturnData: false }
  })
  return { Metrics: [...each, { Id: 'all', Expression: 'SUM(METRICS())', ReturnData: true }] }
}

/** A topic that mails. It is not encrypted: CloudWatch cannot use the key of AWS, and an alarm holds no data of users. */
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
