import { momentAfter } from '../base/text.ts'
import { absent, every, exists, is } from './expressions.ts'
import { workKey } from './keys.ts'
import { endOfLease, leases } from './lease.ts'
import type { Action, Key, Refusal } from './store.ts'
import type { Entry, Kind, Payloads, Taker, WorkStatus } from './workKinds.ts'

// Work that is left to do: an entry is written in the transaction that makes the work necessary, and deleted when all of
// it is done.

/** No call lasts as long as this. */
const LONGEST_CALL_MS = 60_000

/** The end of a lease on an entry that is taken or renewed at this moment. */
export const endOfWorkLease = (moment: string): string => endOfLease(leases.work, moment)
/** The moment when all calls that run now have ended. */
export const afterCalls = (moment: string): string => momentAfter(moment, LONGEST_CALL_MS)

/** The entry of work that begins now; the call does it itself, unless `taker` says otherwise. */
export function workEntry<K extends Kind>(
  kind: K,
  id: string,
  payload: Payloads[K],
  now: string,
  { taker = 'CALL', suffix }: { taker?: Taker | undefined; suffix?: string } = {},
): Entry<K> {
  const begun: Key & { kind: K } & WorkStatus = { ...workKey(kind, id, suffix), kind, taker, due: endOfWorkLease(now) }
  return { ...begun, ...payload }
}

/** Notes work that may have been noted before: then it is one entry, and stays with its taker. */
export const noteOnce = <K extends Kind>({ pk, sk, taker, due, ...rest }: Entry<K>): Action => ({
  update: { pk, sk },
  set: rest,
  setOnce: { taker, due },
})

/** Fails while there is work of this kind and id. */
export const requireNoWork = (kind: Kind, id: string, otherwise?: Refusal): Action => ({
  check: workKey(kind, id),
  if: absent,
  otherwise,
})

/** Deletes the entry of work that is done. Where fields are expected, the entry must still have them. */
export const endWork = ({ pk, sk }: Key, expected?: Readonly<Record<string, unknown>>): Action => ({
  delete: { pk, sk },
  ...(expected ? { if: is(expected) } : {}),
})

/** Writes how far work has come, if the entry is still as expected: the lease and the count of attempts begin anew. */
export const recordProgress = (
  { clock }: { clock: () => Date },
  { pk, sk }: Key,
  set: Readonly<Record<string, unknown>>,
  expected: object = {},
): Action => ({
  update: { pk, sk },
  set: { due: endOfWorkLease(clock().toISOString()), attempts: 0, ...set },
  if: every(exists, is({ ...expected })),
})
