import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { parse } from 'yaml'
import { KEPT, SECRETS, TOKEN_USES } from '../../domain/table/keys.ts'
import { onTable, type Permission, type Statement } from '../../local/build/roleStatements.ts'
import { tableProperties } from '../../local/build/yamlFiles.ts'

type Keyed = { Key?: { pk: string }; Item?: { pk: string } }
type WriteRequest = { PutRequest?: { Item: { pk: string } }; DeleteRequest?: { Key: { pk: string } } }
type Input = Keyed & {
  TransactItems?: readonly Record<string, Keyed>[]
  RequestItems?: Record<string, { Keys?: readonly { pk: string }[] } | readonly WriteRequest[]>
  ExpressionAttributeValues?: Record<string, unknown>
  IndexName?: string
}

const yaml = parse(readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8'), { logLevel: 'silent' })
const indexes = tableProperties().GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
const running = new AsyncLocalStorage<{ used: Set<string> }>()

/** What a function's role says of the table. */
export const statementsOf = (name: string): Statement[] =>
  onTable({ ...yaml.custom.permissions[yaml.functions[name]?.permission ?? 'none'], tokens: isEndpoint(name) }, indexes)

const isEndpoint = (name: string): boolean =>
  (yaml.functions[name]?.events ?? []).some((event: object) => 'httpApi' in event)

/**
 * What the function's role in serverless.yml lets it do with the table; on an index, with the index's name; with partitions
 * that have rules of their own, with their name.
 */
export function allowedTo(name: string): string[] {
  const found = allowed.get(name) ?? findAllowed(name)
  allowed.set(name, found)
  return [...found]
}

/** Every call of a test asks. */
const allowed = new Map<string, string[]>()

function findAllowed(name: string): string[] {
  const {
    actions = [],
    indexes: onIndexes = [],
    only = indexes,
  }: Permission = yaml.custom.permissions[yaml.functions[name]?.permission ?? 'none']
  const isAllowedOn = (action: string, partition: string) => isAllowed(statementsOf(name), action, [partition])
  return [
    ...actions,
    ...onIndexes.flatMap((action) => only.map((index) => `${action} ${index}`)),
    ...everyAction.filter((action) => isAllowedOn(action, SECRETS)).map((action) => `${action} ${SECRETS}`),
    ...Object.entries(KEPT).flatMap(([kept, [partition]]) =>
      writing.filter((action) => isAllowedOn(action, partition)).map((action) => `${action} ${kept}`),
    ),
    ...(isEndpoint(name) && isAllowedOn('UpdateItem', TOKEN_USES) ? [`UpdateItem ${TOKEN_USES}`] : []),
  ]
}

const writing = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']

/** Whether a key fits a pattern of a policy, in which `*` is any text at the end. */
const isLike = (key: string, like: string): boolean =>
  like.endsWith('*') ? key.startsWith(like.slice(0, -1)) : key === like

const everyAction = [
  ...['BatchGetItem', 'Query', 'GetItem', 'Scan'],
  ...['ConditionCheckItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'],
]

/** Decides as IAM does whether an action on items of the table with these partition keys is allowed. */
export function isAllowed(statements: readonly Statement[], action: string, keys: readonly string[]): boolean {
  const fitting = statements.filter(
    ({ Action, Resource, Condition = {} }) =>
      Action.includes(`dynamodb:${action}`) &&
      Resource.some((resource) => typeof resource === 'object' && 'Ref' in resource && resource.Ref === 'TableArn') &&
      Object.entries(Condition).every(([operator, { 'dynamodb:LeadingKeys': named = [] }]) => {
        if (operator === 'ForAnyValue:StringEquals') return keys.some((key) => named.includes(key))
        if (operator === 'Null') return named.includes(String(keys.length === 0))
        if (operator === 'ForAllValues:StringEquals') return keys.every((key) => named.includes(key))
        if (operator === 'ForAnyValue:StringLike') return keys.some((key) => named.some((like) => isLike(key, like)))
        throw new Error(`Unknown operator ${operator}`)
      }),
  )
  return fitting.length > 0 && fitting.every(({ Effect }) => Effect === 'Allow')
}

/** Runs a function and returns what it asked of the table, in the terms of its role. */
export async function usedBy<T>(run: () => Promise<T>): Promise<{ answer: T; used: string[] }> {
  const used = new Set<string>()
  const answer = await running.run({ used }, run)
  return { answer, used: [...used].sort() }
}

/** Makes a client record its requests. */
export function noteUse(client: DynamoDBDocumentClient): void {
  client.middlewareStack.add(
    (next, context) => (args) => {
      for (const action of actionsOf(String(context.commandName), args.input as Input))
        running.getStore()?.used.add(action)
      return next(args)
    },
    { step: 'initialize', name: 'noteUse' },
  )
}

/**
 * The name of what a request about a partition needs a permission for alone, if there is one: a secret, a use that is noted, or a
 * partition that few functions write.
 */
function apartOf(action: string, key: unknown): string | undefined {
  if (key === SECRETS || (key === TOKEN_USES && action === 'UpdateItem')) return key
  if (typeof key !== 'string' || !writing.includes(action)) return undefined
  return Object.entries<readonly string[]>(KEPT).find(([, patterns]) => patterns.some((like) => isLike(key, like)))?.[0]
}

const transacted: Record<string, string> = {
  ConditionCheck: 'ConditionCheckItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
}

/** The partitions that a request other than a transaction writes. */
const writtenBy = ({ RequestItems = {}, Key, Item }: Input): unknown[] => [
  ...[Key ?? Item].flatMap((one) => one?.pk ?? []),
  ...Object.values(RequestItems).flatMap((of) =>
    Array.isArray(of)
      ? of.map(({ PutRequest, DeleteRequest }: WriteRequest) => (PutRequest?.Item ?? DeleteRequest?.Key)?.pk)
      : [],
  ),
]

/** What IAM asks permission for when a command is sent. */
function actionsOf(command: string, input: Input): string[] {
  const { TransactItems = [], RequestItems = {}, ExpressionAttributeValues = {}, IndexName } = input
  const onEach = (action: string, keys: readonly unknown[]) => {
    const apart = keys.flatMap((key) => apartOf(action, key) ?? [])
    const isUsual = apart.length === 0 || apart.length < keys.length
    return [...(isUsual ? [action] : []), ...apart.map((name) => `${action} ${name}`)]
  }
  if (command === 'TransactWriteItemsCommand')
    return TransactItems.flatMap((item) =>
      Object.entries(item).flatMap(([kind, { Key, Item }]) => onEach(transacted[kind] ?? kind, [(Key ?? Item)?.pk])),
    )
  const action = command.replace(/Command$/, '')
  if (IndexName) return [`${action} ${IndexName}`]
  if (writing.includes(action)) return onEach(action, writtenBy(input))
  const read = Object.values(RequestItems).flatMap((of) => ('Keys' in of ? (of.Keys ?? []).map(({ pk }) => pk) : []))
  return onEach(action, [...read, ...Object.values(ExpressionAttributeValues)])
}
