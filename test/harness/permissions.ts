import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { parse } from 'yaml'
import type { Permission } from '../../local/build/deployment.ts'
import { tableProperties } from '../../local/build/serviceFile.ts'

type Input = { TransactItems?: readonly object[]; IndexName?: string }

const yaml = parse(readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8'), { logLevel: 'silent' })
const indexes = tableProperties().GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
const running = new AsyncLocalStorage<{ used: Set<string> }>()

/** What the function's role in serverless.yml lets it do with the table; on an index, with the index's name. */
export function allowedTo(name: string): string[] {
  const {
    actions = [],
    indexes: onIndexes = [],
    only = indexes,
  }: Permission = yaml.custom.permissions[yaml.functions[name]?.permission ?? 'none']
  return [...actions, ...onIndexes.flatMap((action) => only.map((index) => `${action} ${index}`))]
}

/** Runs a function and tells what it asked of the table, in the words of its role. */
export async function usedBy<T>(run: () => Promise<T>): Promise<{ answer: T; used: string[] }> {
  const used = new Set<string>()
  const answer = await running.run({ used }, run)
  return { answer, used: [...used].sort() }
}

/** Makes a client note what is asked through it. */
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

const transacted: Record<string, string> = {
  ConditionCheck: 'ConditionCheckItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
}

/** What IAM asks permission for when a command is sent. */
function actionsOf(command: string, { TransactItems = [], IndexName }: Input): string[] {
  if (command === 'TransactWriteItemsCommand')
    return TransactItems.flatMap((item) => Object.keys(item).map((kind) => transacted[kind] ?? kind))
  return [command.replace(/Command$/, '') + (IndexName ? ` ${IndexName}` : '')]
}
