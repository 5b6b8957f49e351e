import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { chunksOf, inParallel } from '../base/parallel.ts'
import { attempt, countedIn, sendRequest, type Table, Unprocessed } from './dynamo.ts'
import { rememberWebhookEnabled } from './outbox.ts'
import { type Recorder, recording } from './recording.ts'
import type { Cause, WorkStore } from './store.ts'
import { dynamoStore } from './transact.ts'
import { requireRoom } from './transactions.ts'

// The store of functions and commands that no caller waits for.

/** A store without a cause: it cannot change records that have events. `causedBy` gives it one. */
export type OpenStore = WorkStore & { causedBy: (cause: Cause) => WorkStore }

/** The store of a function or a command without a caller. By default each store remembers by itself whether a webhook is enabled. */
export function openStore({
  newToken: newId,
  clock = () => new Date(),
  keptDays,
  isWebhookEnabled = rememberWebhookEnabled(() => ({ now: clock(), table: table.name })),
  ...table
}: Table & Optional<Omit<Recorder, 'newId'>>): OpenStore {
  const sending = { ...table, newToken: newId }
  const store: WorkStore = { ...dynamoStore(sending), bulk: (changes) => bulk(sending, changes) }
  return {
    ...store,
    write: async (actions) => {
      requireRoom(actions)
      return store.write(actions)
    },
    causedBy: (cause) => recording(store, cause, { newId, clock, keptDays, isWebhookEnabled }),
  }
}

type Optional<T> = { [Name in keyof T]?: T[Name] | undefined }

/** The most changes that BatchWriteItem takes, and how many such requests to send in parallel. */
const CHANGES = 25
const REQUESTS = 8

/** Puts and deletes items without conditions, not atomic. */
function bulk(table: Table, changes: Parameters<WorkStore['bulk']>[0]): Promise<void> {
  const requests = changes.map((change) =>
    'put' in change ? { PutRequest: { Item: change.put } } : { DeleteRequest: { Key: change.delete } },
  )
  return inParallel(REQUESTS, chunksOf(requests, CHANGES), (part) => {
    let left: object[] = part
    return sendRequest(table, 'BatchWriteItem', async (request) => {
      const command = new BatchWriteCommand({ RequestItems: { [table.name]: left }, ...countedIn(table) })
      const answer = await attempt(table, request, (options) => table.client.send(command, options))
      left = answer.UnprocessedItems?.[table.name] ?? []
      if (left.length > 0) throw new Unprocessed()
    })
  })
}
