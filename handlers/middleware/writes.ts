import { randomUUID } from 'node:crypto'
import { newEffect, noteWrites } from '../../domain/request/effect.ts'
import type { Table } from '../../domain/table/dynamo.ts'
import { rememberWebhookEnabled } from '../../domain/table/outbox.ts'
import { recording } from '../../domain/table/recording.ts'
import type { Cause, Store } from '../../domain/table/store.ts'
import { dynamoStore } from '../../domain/table/transact.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import type { Call } from './call.ts'
import { environment, readPoint } from './environment.ts'

// What functions need that change records. Functions that only read load none of it.

/** Whether a webhook is enabled, as this process remembers it. */
export const isWebhookEnabled = /* @__PURE__ */ rememberWebhookEnabled(() => readPoint())

/** What writing events needs. */
export const recordingOptions = () => ({
  clock: () => environment.clock(),
  ...(process.env.EVENT_RETENTION_DAYS ? { keptDays: Number(process.env.EVENT_RETENTION_DAYS) } : {}),
  isWebhookEnabled,
})

/** The store of a call that changes records: each change has its event, and an error says what the call has written. */
export function writes(
  table: Table,
  { call, contract, cause }: { call: Call; contract: CompiledContract; cause: Cause },
): Store {
  const store = dynamoStore(table)
  const effect = newEffect()
  call.effect = effect
  // A write needs to know whether a webhook is enabled. Read it with the first reads; if this fails, the write reads it.
  if (contract.body || contract.conditional) isWebhookEnabled(store).catch(() => {})
  return noteWrites(recording(store, cause, { newId: randomUUID, ...recordingOptions() }), effect)
}
