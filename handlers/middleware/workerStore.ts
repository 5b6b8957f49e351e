import type { Policy, Traffic } from '../../domain/table/dynamo.ts'
import { type OpenStore, openStore } from '../../domain/table/openStore.ts'
import { newTable } from './environment.ts'
import { recorder } from './writes.ts'

/** The table for a function without a caller. Once its signal is aborted, nothing more is sent. */
export const newOpenStore = (
  signal: (() => AbortSignal) | undefined,
  traffic: Traffic | undefined,
  policy: Policy,
): OpenStore => openStore({ ...newTable(signal, traffic, policy), ...recorder() })
