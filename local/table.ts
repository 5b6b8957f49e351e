import { readFile } from 'node:fs/promises'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  ResourceInUseException,
  type TimeToLiveSpecification,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { parse } from 'yaml'

type Definition = Omit<CreateTableCommandInput, 'TableName'> & { TimeToLiveSpecification: TimeToLiveSpecification }

const template = new URL('../serverless.yml', import.meta.url)
const secondsToWait = 30

/** Creates the table and its TTL as serverless.yml defines them. A table that is there already stays as it is. */
export const createTable = async (client: DynamoDBClient, tableName: string): Promise<{ created: boolean }> => {
  const { TimeToLiveSpecification, ...definition } = await tableDefinition()
  try {
    await client.send(new CreateTableCommand({ ...definition, TableName: tableName }))
  } catch (error) {
    if (error instanceof ResourceInUseException) return { created: false }
    throw error
  }
  const waiting = { client, maxWaitTime: secondsToWait, minDelay: 1 }
  await waitUntilTableExists(waiting, { TableName: tableName })
  await client.send(new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification }))
  return { created: true }
}

/** What of the CloudFormation resource the database's own call takes; the rest (backups, encryption) is AWS's alone. */
export const tableDefinition = async (): Promise<Definition> => {
  const yaml = parse(await readFile(template, 'utf8'), { logLevel: 'silent' })
  const table = yaml?.resources?.Resources?.Table
  if (table?.Type !== 'AWS::DynamoDB::Table') throw new Error('serverless.yml has no resource Table of DynamoDB.')
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode, TimeToLiveSpecification } =
    table.Properties
  return { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode, TimeToLiveSpecification }
}
