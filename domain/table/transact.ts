import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { ErrorCode } from '../../schemas/errors.ts'
import { refuse, StoreContended, StoreUnreachable } from '../base/errors.ts'
import { refusalOf } from './actions.ts'
import { attempt, countedIn, domainError, readsOf, sendRequest, type Table } from './dynamo.ts'
import { expressionsOf } from './expressions.ts'
import { CONDITION_FAILED, causeOf, conflicts, isConflict, mayPass, type Reason, reasonsOf } from './failures.ts'
import { isWork } from './keys.ts'
import { describeRequest, type Request } from './requestStats.ts'
import type { Action, Item, Store } from './store.ts'

// Writes: transactions as DynamoDB takes them, and what it means if one fails.

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** The store of one call. It writes no events: see recording.ts. */
export const dynamoStore = (table: Table): Store => ({
  ...readsOf(table),
  write: async (actions) => {
    if (actions.some(({ event }) => event)) throw new Error('A change of a record needs a cause')
    return write(table, actions)
  },
})

function write(table: Table, actions: readonly Action[]): Promise<void> {
  const input = {
    TransactItems: actions.map((action) => transactItem(table.name, action)),
    // One token for all attempts: after a time-out our own success must not look like a conflict with another call.
    ClientRequestToken: table.newToken(),
    ...countedIn(table),
  }
  const transact = async (request: Request) => {
    const command = new TransactWriteCommand(input)
    await attempt(table, request, (options) => table.client.send(command, options))
    if (table.stats) table.stats.notedWork += actions.filter(notesWork).length
  }
  return sendRequest(table, 'TransactWriteItems', transact, {
    again: (error) => retryable(error, actions),
    failure: (error, request) => writeError(error, actions, request),
  })
}

/** Whether an action notes work: new work, or work that may have been noted before. */
export const notesWork = (action: Action): boolean =>
  ('put' in action && isWork(action.put)) ||
  ('update' in action && isWork(action.update) && action.setOnce !== undefined)

function transactItem(TableName: string, action: Action): TransactItem {
  const { UpdateExpression = '', ...expected } = expressionsOf(action.if, 'update' in action ? action : undefined)
  const common = { TableName, ...expected }
  if ('put' in action) return { Put: { ...common, Item: action.put } }
  if ('update' in action) return { Update: { ...common, Key: action.update, UpdateExpression } }
  if ('delete' in action) return { Delete: { ...common, Key: action.delete } }
  return { ConditionCheck: { ConditionExpression: '', ...common, Key: action.check } }
}

// What a failure means.

/** The first action whose condition failed, if one did. */
function failedIn(error: unknown, actions: readonly Action[]): { action: Action; reason: Reason } | undefined {
  const reasons = reasonsOf(error)
  for (const [n, action] of actions.entries()) {
    const reason = reasons[n]
    if (reason?.Code === CONDITION_FAILED) return { action, reason }
  }
  return undefined
}

/** The `busy` code of the first action that was in conflict and has one. */
const busyIn = (error: unknown, actions: readonly Action[]): ErrorCode | undefined =>
  actions.find(({ busy }, n) => busy && conflicts.has(reasonsOf(error)[n]?.Code))?.busy

/**
 * Whether another attempt may succeed. A condition that failed would fail again. But if other actions were in conflict, DynamoDB has not
 * checked theirs, and one before it may fail, too: the caller gets the first refusal, so an attempt without a conflict has to find it.
 * Without a refusal the operation decides again anyway, and an action with `busy` refuses at once.
 */
export function retryable(error: unknown, actions: readonly Action[]): boolean {
  const failed = failedIn(error, actions)
  const isRefused = failed && (failed.action.otherwise === undefined || failed.action.busy !== undefined)
  return !isRefused && mayPass(error)
}

/**
 * The error of a failed transaction: the refusal of the first action whose condition failed. After an attempt without an
 * answer only a refusal proves that nothing was done: DynamoDB does not check a transaction again that it has carried out.
 */
export function writeError(error: unknown, actions: readonly Action[], request: Request): Error {
  const failed = failedIn(error, actions)
  const isAgain = retryable(error, actions)
  if (failed && !isAgain) return refusalOf(failed.action.otherwise, itemIn(failed.reason))
  const cause = causeOf(error)
  if (request.isUncertain && isAgain) return new StoreUnreachable(cause, true, describeRequest(request, cause))
  if (isConflict(error)) {
    const busy = busyIn(error, actions)
    return busy ? refuse(busy) : new StoreContended()
  }
  return domainError(error, request)
}

const itemIn = ({ Item }: Reason): Item | undefined => Item && (unmarshall(Item) as Item)
