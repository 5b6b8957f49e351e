import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceInUseException,
  type TimeToLiveSpecification,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { tableProperties } from '../build/yamlFiles.ts'

type Definition = Omit<CreateTableCommandInput, 'TableName'> & { TimeToLiveSpecification: TimeToLiveSpecification }

const secondsToWait = 30

/**
 * Creates the table and its TTL as table.yml defines them. An existing table stays as it is. Throws if it has
 * other indexes because another version created it.
 */
export const createTable = async (client: DynamoDBClient, tableName: string): Promise<{ created: boolean }> => {
  const { TimeToLiveSpecification, StreamSpecification: _, ...definition } = await tableDefinition()
  try {
    await client.send(new CreateTableCommand({ ...definition, TableName: tableName }))
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }))
    if (indexesOf(Table) !== indexesOf(definition)) throw new Error(another(tableName))
    return { created: false }
  }
  const waiting = { client, maxWaitTime: secondsToWait, minDelay: 1 }
  await waitUntilTableExists(waiting, { TableName: tableName })
  await client.send(new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification }))
  return { created: true }
}

type Index = { IndexName?: string | undefined; KeySchema?: KeySchemaElement[] | undefined }

const indexesOf = (table: { GlobalSecondaryIndexes?: Index[] | undefined } | undefined): string => {
  const described = ({ IndexName, KeySchema = [] }: Index) =>
    [IndexName, ...KeySchema.map(({ AttributeName }) => AttributeName)].join(' ')
  return (table?.GlobalSecondaryIndexes ?? []).map(described).sort().join()
}

const another = (tableName: string): string =>
  `The table ${tableName} was made by another version of this service: its indexes are not those of table.yml. ` +
  'Start with an empty DATA_DIR and import the directory again, or go on with the version that made it.'

/** The properties of the CloudFormation resource that CreateTable takes; backups and encryption exist on AWS only. */
export const tableDefinition = async (): Promise<Definition> => {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode, ...rest } =
    tableProperties() as unknown as Definition
  const { TimeToLiveSpecification, StreamSpecification } = rest
  return {
    AttributeDefinitions,
    KeySchema,
    GlobalSecondaryIndexes,
    BillingMode,
    TimeToLiveSpecification,
    StreamSpecification: { StreamEnabled: true, ...StreamSpecification },
  }
}
