// Turns a permission of serverless.yml into the statements of a role.

import { EVENTS, KEPT, SECRETS, TOKEN_USES } from '../../domain/table/keys.ts'

export type Statement = {
  Effect: 'Allow' | 'Deny'
  Action: readonly string[]
  Resource: readonly (object | string)[]
  Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}

/**
 * DynamoDB actions that a function may use on the table, on its indexes (on all of them or on those in `only`), and on its
 * stream.
 */
export type Permission = {
  actions?: readonly string[]
  indexes?: readonly string[]
  only?: readonly string[]
  stream?: readonly string[]
  /** Whether the function makes cursors, and so may read and create their key. */
  cursors?: boolean
  /** Whether the function removes values from the events about purged users. */
  forgets?: boolean
  /** The partitions among `KEPT` that the function writes. */
  writes?: readonly (keyof typeof KEPT)[]
  /** Whether service tokens call the function, which then may store their last use. */
  tokens?: boolean
  /** The S3 bucket whose files the function may read; empty for none. */
  bucket?: string
  /** The ARN of the KMS key of that bucket; empty if there is none. */
  key?: string
  /** S3 actions on the files of plans: the names of the files, or empty for the bucket itself. */
  planFiles?: Readonly<Record<string, string>>
  /** Whether the function encrypts, or decrypts, the secrets of webhooks. */
  encrypts?: boolean
  decrypts?: boolean
}

const webhookKey = { 'Fn::GetAtt': ['WebhookKey', 'Arn'] }

/** The statements for the KMS key of webhooks. */
export const onSecrets = ({ encrypts, decrypts }: Permission): Statement[] => [
  ...(encrypts ? [{ Effect: 'Allow' as const, Action: ['kms:Encrypt'], Resource: [webhookKey] }] : []),
  ...(decrypts ? [{ Effect: 'Allow' as const, Action: ['kms:Decrypt'], Resource: [webhookKey] }] : []),
]

/** The statements for the import bucket, if there is one: read and decrypt its files. */
export function onFiles({ bucket, key }: Permission): Statement[] {
  const files = { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:s3:::${bucket}/*`]] }
  return [
    ...(bucket ? [{ Effect: 'Allow' as const, Action: ['s3:GetObject'], Resource: [files] }] : []),
    ...(key ? [{ Effect: 'Allow' as const, Action: ['kms:Decrypt'], Resource: [key] }] : []),
  ]
}

/** The statements for the files of plans. */
export const onPlanFiles = ({ planFiles = {} }: Permission): Statement[] =>
  Object.entries(planFiles).map(([action, names]) => ({
    Effect: 'Allow',
    Action: [`s3:${action}`],
    Resource: [names === '' ? { 'Fn::GetAtt': ['PlanFiles', 'Arn'] } : { 'Fn::Sub': `\${PlanFiles.Arn}/${names}` }],
  }))

/** Allows sending traces, which IAM can only allow on all resources. */
export const toTrace: Statement = {
  Effect: 'Allow',
  Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
  Resource: ['*'],
}

/** The statements for the table with the indexes `names`: what a permission allows and denies. */
export function onTable(permission: Permission, names: readonly string[]): Statement[] {
  const { actions = [], indexes = [], only, stream = [], cursors = false, forgets = false, tokens = false } = permission
  const table = { Ref: 'TableArn' }
  // Each index by its name: with a wildcard every function could read later indexes.
  const ofIndexes = (only ?? names).map((name) => ({ 'Fn::Sub': `\${TableArn}/index/${name}` }))
  const secret = { 'dynamodb:LeadingKeys': [SECRETS] }
  const notesUses = tokens && actions.length > 0 && !actions.includes('UpdateItem')
  const all: Statement[] = [
    allow(actions, [table]),
    allow(indexes, ofIndexes),
    allow(stream, [{ Ref: 'TableStreamArn' }]),
    // A request for several items is denied if one of them is a secret.
    cursors
      ? onlyIn(SECRETS, allow(['PutItem'], [table]))
      : { ...allow(actions, [table]), Effect: 'Deny', Condition: { 'ForAnyValue:StringEquals': secret } },
    onlyIn(TOKEN_USES, allow(notesUses ? ['UpdateItem'] : [], [table])),
    // Events are written by PutItem in transactions. IAM cannot distinguish a new event from an overwritten one.
    {
      ...allow(
        actions.filter((action) => changing.has(action) && !(forgets && action === 'BatchWriteItem')),
        [table],
      ),
      Effect: 'Deny',
      Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [`${EVENTS}*`] } },
    },
    {
      ...allow(
        actions.filter((action) => action === 'PutItem' || changing.has(action)),
        [table],
      ),
      Effect: 'Deny',
      Condition: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': keptFrom(permission) } },
    },
  ]
  return all.filter(({ Action }) => Action.length > 0)
}

/** Allows the actions only on the items of one partition. ForAllValues also matches a request without keys, so it needs some. */
const onlyIn = (partition: string, statement: Statement): Statement => ({
  ...statement,
  Condition: {
    'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [partition] },
    Null: { 'dynamodb:LeadingKeys': ['false'] },
  },
})

/** The partitions that a function may not write although it may write others. */
const keptFrom = ({ writes = [] }: Permission): readonly string[] =>
  Object.entries<readonly string[]>(KEPT).flatMap(([name, keys]) => (writes.some((one) => one === name) ? [] : keys))

const changing: ReadonlySet<string> = new Set(['UpdateItem', 'DeleteItem', 'BatchWriteItem'])

const allow = (actions: readonly string[], Resource: readonly object[]): Statement => ({
  Effect: 'Allow',
  Action: actions.map((action) => `dynamodb:${action}`),
  Resource,
})
