import { randomUUID } from 'node:crypto'
import { CreateTableCommand, DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { tableDefinition } from '../../local/database/createTable.ts'
import { testClient } from './client.ts'
import { engine } from './endpoint.ts'
import { undoLater } from './undo.ts'

/**
 * The indexes that a table has besides those that members, channels and roles are found by; or all there are; or these
 * only; or, where nothing is found by any, none.
 */
export type Indexes = 'all' | 'none' | readonly string[] | { only: readonly string[] }

const always = ['by_last_name', 'find']
function has(indexes: Indexes, name: string): boolean {
  if (indexes === 'all' || indexes === 'none') return indexes === 'all'
  return 'only' in indexes ? indexes.only.includes(name) : always.includes(name) || indexes.includes(name)
}

type Put = { Item: Record<string, unknown> }
type Update = {
  UpdateExpression: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, unknown>
}
type Input = {
  IndexName?: string
  TransactItems?: readonly { Put?: Put; Update?: Update }[]
  RequestItems?: Record<string, readonly { PutRequest?: Put }[]>
}

const definition = await tableDefinition()
const defined = definition.GlobalSecondaryIndexes ?? []

/** Bytes that DynamoDB takes in a key of an index, by the attribute's name. */
const keyLimits = new Map(
  defined.flatMap(({ KeySchema = [] }) =>
    KeySchema.map((key): [string, number] => [key.AttributeName ?? '', key.KeyType === 'HASH' ? 2048 : 1024]),
  ),
)

/**
 * Makes a table as table.yml has it, but with these indexes only, without expiry and without a stream. It is deleted after
 * the test file. Each index makes every call of DynamoDB Local slower, even calls that do not use it: with all ten a
 * transaction takes three times as long as with two, with none half as long.
 */
export async function newTable(client: DynamoDBDocumentClient, indexes: Indexes): Promise<string> {
  const { TimeToLiveSpecification: _, StreamSpecification: _stream, AttributeDefinitions = [], ...rest } = definition
  const kept = defined.filter(({ IndexName = '' }) => has(indexes, IndexName))
  const keys = [rest.KeySchema, ...kept.map(({ KeySchema }) => KeySchema)].flatMap((schema = []) =>
    schema.map(({ AttributeName }) => AttributeName),
  )
  const TableName = `test-${randomUUID()}`
  await client.send(
    new CreateTableCommand({
      ...rest,
      TableName,
      AttributeDefinitions: AttributeDefinitions.filter(({ AttributeName }) => keys.includes(AttributeName)),
      GlobalSecondaryIndexes: kept.length > 0 ? kept : undefined,
    }) as never,
  )
  // Hundreds of tables would take the memory that dynoxide has to spare. DynamoDB Local may fail at what others ask it meanwhile.
  if (engine() === 'dynoxide') undoLater(TableName, () => deleter().send(new DeleteTableCommand({ TableName })))
  return TableName
}

/** One client deletes all tables: no test makes it fail. */
const deleter = () => {
  tidyClient ??= testClient()
  return tidyClient
}
let tidyClient: DynamoDBDocumentClient | undefined

/**
 * Holds what is written against the keys of all indexes, as DynamoDB would if this table had them, and says which index
 * is missing where one is asked for.
 */
export function holdToIndexes(client: DynamoDBDocumentClient, indexes: Indexes): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const { IndexName, TransactItems = [], RequestItems = {} } = args.input as Input
      if (IndexName !== undefined && !has(indexes, IndexName))
        throw complain(
          `This test's table has no index ${IndexName}: add it to startService({ indexes: ['${IndexName}'] })`,
        )
      for (const { Put, Update } of TransactItems) requireKeys({ ...Put?.Item, ...assigned(Update) })
      for (const requests of Object.values(RequestItems))
        if (Array.isArray(requests)) for (const { PutRequest } of requests) requireKeys(PutRequest?.Item ?? {})
      return next(args)
    },
    { step: 'initialize', name: 'holdToIndexes' },
  )
}

function requireKeys(item: Record<string, unknown>): void {
  for (const [name, limit] of keyLimits) {
    const value = item[name]
    if (value === undefined) continue
    if (typeof value !== 'string' || value === '' || Buffer.byteLength(value) > limit)
      throw complain(`DynamoDB would refuse ${JSON.stringify(value)} as ${name}, which is a key of an index`)
  }
}

/** What an update sets at the top of its item. */
function assigned({ UpdateExpression = '', ...update }: Partial<Update> = {}): Record<string, unknown> {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = update
  const clauses = UpdateExpression.matchAll(/(?<![.#\w])(#\w+) = (?:if_not_exists\(#\w+, )?(:\w+)/g)
  return Object.fromEntries([...clauses].map(([, name = '', value = '']) => [names[name] ?? name, values[value]]))
}

/** The service answers such an error with a 500: the test's output must tell why. */
function complain(message: string): Error {
  console.error(message)
  return new Error(message)
}
