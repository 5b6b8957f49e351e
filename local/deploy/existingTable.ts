import { isDeepStrictEqual } from 'node:util'
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type TableDescription,
  type TimeToLiveDescription,
} from '@aws-sdk/client-dynamodb'
import type { Parameters, Template } from './tableStack.ts'

/** The parts of DynamoDB's descriptions of a table that are used here. */
export type Described = {
  table: TableDescription
  expiry: TimeToLiveDescription
  /** Whether point-in-time recovery is on. */
  isBackedUp: boolean
}

/** Describes a table of a region. Throws if there is none. */
export async function describeTable(region: string, TableName: string): Promise<Described> {
  const client = new DynamoDBClient({ region })
  const [{ Table = {} }, { TimeToLiveDescription = {} }, { ContinuousBackupsDescription }] = await Promise.all([
    client.send(new DescribeTableCommand({ TableName })),
    client.send(new DescribeTimeToLiveCommand({ TableName })),
    client.send(new DescribeContinuousBackupsCommand({ TableName })),
  ])
  const { PointInTimeRecoveryStatus } = ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {}
  return { table: Table, expiry: TimeToLiveDescription, isBackedUp: PointInTimeRecoveryStatus === 'ENABLED' }
}

/** The properties in table.yml that can differ after a restore. */
type Properties = {
  KeySchema: object[]
  GlobalSecondaryIndexes: { IndexName: string; KeySchema: object[]; Projection: Projection }[]
  TimeToLiveSpecification: { AttributeName: string }
}
type Projection = { ProjectionType?: string | undefined; NonKeyAttributes?: string[] | undefined }

/** `isWhole`: no other index is allowed, as CloudFormation would not know it. `isProtected`: deletion protection is required. */
type How = { isWhole: boolean; isProtected: boolean }

/**
 * The outputs of the table's stack for a table that no stack created. Throws, with all differences, unless it matches
 * table.yml.
 */
export function outputsOf(described: Described, template: Template, how: How): Parameters {
  const { TableName = '', TableArn = '', LatestStreamArn = '' } = described.table
  const differences = differencesOf(described, template.Resources.Table.Properties as unknown as Properties, how)
  if (differences.length > 0)
    throw new Error(
      [
        `${TableName} does not match table.yml (docs/operate.md, "Restore a table", has the commands):`,
        ...differences.map((one) => `- ${one}`),
      ].join('\n'),
    )
  return { TableName, TableArn, TableStreamArn: LatestStreamArn }
}

function differencesOf({ table, expiry, isBackedUp }: Described, wanted: Properties, how: How): string[] {
  const { StreamSpecification, LatestStreamArn, SSEDescription, DeletionProtectionEnabled } = table
  const ttl = wanted.TimeToLiveSpecification.AttributeName
  const checks: [isRight: unknown, says: string][] = [
    [isDeepStrictEqual(plain(table.KeySchema), plain(wanted.KeySchema)), 'its key is not pk and sk'],
    // A disabled stream still has an ARN.
    [
      LatestStreamArn &&
        StreamSpecification?.StreamEnabled &&
        StreamSpecification.StreamViewType === 'NEW_AND_OLD_IMAGES',
      'it has no stream with new and old images',
    ],
    [
      expiry.TimeToLiveStatus?.startsWith('ENABL') && expiry.AttributeName === ttl,
      `items do not expire by the attribute ${ttl}`,
    ],
    [isBackedUp, 'its point-in-time recovery is off'],
    [SSEDescription?.Status === 'ENABLED', 'it is not encrypted with a KMS key'],
    [DeletionProtectionEnabled || !how.isProtected, 'its deletion protection is off'],
  ]
  return [
    ...checks.flatMap(([isRight, says]) => (isRight ? [] : [says])),
    ...differentIndexes(table, wanted, how.isWhole),
  ]
}

function differentIndexes(
  { GlobalSecondaryIndexes = [] }: TableDescription,
  wanted: Properties,
  isWhole: boolean,
): string[] {
  const names = new Set(wanted.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName))
  const others = GlobalSecondaryIndexes.flatMap(({ IndexName = '' }) => (names.has(IndexName) ? [] : [IndexName]))
  return [
    ...wanted.GlobalSecondaryIndexes.flatMap(({ IndexName, KeySchema, Projection }) => {
      const found = GlobalSecondaryIndexes.find((index) => index.IndexName === IndexName)
      if (!found) return [`it lacks the index ${IndexName}`]
      if (found.IndexStatus !== 'ACTIVE')
        return [`its index ${IndexName} is ${found.IndexStatus}: wait until it is ACTIVE`]
      if (!isDeepStrictEqual(plain(found.KeySchema), plain(KeySchema))) return [`its index ${IndexName} has other keys`]
      return isDeepStrictEqual(sorted(found.Projection), sorted(Projection))
        ? []
        : [`its index ${IndexName} holds other attributes`]
    }),
    ...(isWhole ? others.map((name) => `it has an index ${name}, which table.yml does not have`) : []),
  ]
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))
const sorted = ({ ProjectionType, NonKeyAttributes = [] }: Projection = {}) => [
  ProjectionType,
  ...NonKeyAttributes.toSorted(),
]
