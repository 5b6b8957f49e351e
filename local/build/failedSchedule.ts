// Events of the schedule that cannot be delivered: they are dropped after a minute, when the next one comes, and kept in a queue.
import type { Resources } from './gatewayRole.ts'

/** The queue in serverless.yml. */
export const FAILED_EVENTS = { 'Fn::GetAtt': ['FailedEvents', 'Arn'] }

/** The shortest time that EventBridge takes. */
const SECONDS = 60

/** The Serverless command has no option for this. */
export function keepUndelivered(resources: Resources): void {
  const rules = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::Events::Rule')
  for (const [, { Properties }] of rules)
    for (const target of Properties['Targets'] as object[])
      Object.assign(target, {
        RetryPolicy: { MaximumEventAgeInSeconds: SECONDS },
        DeadLetterConfig: { Arn: FAILED_EVENTS },
      })
  resources['FailedEventsPolicy'] = queuePolicy(rules.map(([name]) => ({ 'Fn::GetAtt': [name, 'Arn'] })))
}

/** Lets the rules send to the queue. Functions may by their roles. */
const queuePolicy = (rules: readonly object[]) => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: [{ Ref: 'FailedEvents' }],
    PolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'events.amazonaws.com' },
          Action: 'sqs:SendMessage',
          Resource: FAILED_EVENTS,
          Condition: { ArnEquals: { 'aws:SourceArn': rules } },
        },
        {
          Effect: 'Deny',
          Principal: '*',
          Action: 'sqs:*',
          Resource: FAILED_EVENTS,
          Condition: { Bool: { 'aws:SecureTransport': false } },
        },
      ],
    },
  },
})
