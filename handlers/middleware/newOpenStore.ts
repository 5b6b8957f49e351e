import type { Policy } from '../../domain/table/dynamo.ts'
import { type OpenStore, openStore } from '../../domain/table/openStore.ts'
import type { RequestStats } from '../../domain/table/requestStats.ts'
import { newTable } from './environment.ts'
import { recordingOptions } from './writes.ts'

/** The store of a function without a caller. Once its signal is aborted, nothing more is sent. */
export const newOpenStore = (
  signal: (() => AbortSignal) | undefined,
  stats: RequestStats | undefined,
  policy: Policy,
): OpenStore => openStore({ ...newTable(signal, stats, policy), ...recordingOptions() })
