import { momentAfter } from '../base/text.ts'
import { keyOf, succeeded } from './actions.ts'
import { type Condition, every, exists, is } from './expressions.ts'
import { isAt } from './items.ts'
import type { Action, Key, Store } from './store.ts'

// A lease: until a moment that an item holds, one process alone does the work that the item is about. It renews the lease while it
// works. If it dies, the lease runs out, and another process takes it. A lease only saves work: clocks differ, and a process
// may be late, so what must not happen twice has a condition besides.

type Terms = {
  /** The attribute that holds the end of the lease. */
  until: string
  /** How long it lasts after it was taken or renewed, in milliseconds. */
  ms: number
  /** It is renewed when less than this is left. */
  renewedAt: number
}

/** All leases. */
export const leases = {
  /** On an entry of noted work: longer than any step, and short enough to wait for. */
  work: { until: 'due', ms: 10_000, renewedAt: 5_000 },
  /** On the making and trying of deliveries: longer than an attempt, with a reserve for clocks that differ. */
  deliveries: { until: 'until', ms: 45_000, renewedAt: 30_000 },
  /** On an import of a file of lines: each slice begins it anew, so it is renewed only in a long one. */
  imports: { until: 'data/taken_until', ms: 90_000, renewedAt: 45_000 },
} satisfies Record<string, Terms>

type LeaseContext = { store: Pick<Store, 'write'>; clock: () => Date }

/** When a lease ends that begins at this moment. */
export const endOfLease = ({ ms }: Terms, moment: string): string => momentAfter(moment, ms)

/** What is written with the end of a lease. `lasts`: for another time than usual, in milliseconds. */
type LeaseChange = {
  if: Condition
  set?: Readonly<Record<string, unknown>>
  clear?: readonly string[]
  lasts?: number
}

/**
 * Writes a new end of a lease: takes it, renews it, or hands it over. Returns that end; undefined if another process was faster, as
 * the condition shows.
 */
export async function writeLease(
  { store, clock }: LeaseContext,
  { until, ms }: Terms,
  key: Key,
  { if: expected, set, clear = [], lasts = ms }: LeaseChange,
): Promise<string | undefined> {
  const end = momentAfter(clock().toISOString(), lasts)
  const taking = { update: key, set: { [until]: end, ...set }, clear, if: expected }
  return (await succeeded(store.write([taking], 'housekeeping'))) ? end : undefined
}

/** A lease that this process has. */
export type Lease = {
  /** Milliseconds until it ends; zero if it is lost. */
  left: () => number
  /** Renews it if it ends soon. False if another process has it. */
  renew: () => Promise<boolean>
  /** Notes the end that a step of the work itself has written; undefined if the step has ended the work. */
  noteEnd: (end: string | undefined) => void
}

/**
 * A lease that ends at this moment unless it is renewed. `mine`: fields by which this process knows its own lease; by default its
 * end, as each taker writes a later one.
 */
export function ownLease(
  { store, clock }: LeaseContext,
  terms: Terms,
  { key, end: first, mine }: { key: Key; end: string | undefined; mine?: Readonly<Record<string, unknown>> },
): Lease {
  let end = first
  let renewal: Promise<void> | undefined
  const left = (): number => (end === undefined ? 0 : Math.max(0, Date.parse(end) - clock().getTime()))
  const extend = async (): Promise<void> => {
    const isMine = every(exists, is(mine ?? { [terms.until]: end }))
    end = await writeLease({ store, clock }, terms, key, { if: isMine })
  }
  return {
    left,
    renew: async () => {
      if (end !== undefined && left() <= terms.renewedAt) {
        // Several parts of the work may be under way: one of them renews the lease for all.
        renewal ??= extend().finally(() => {
          renewal = undefined
        })
        await renewal
      }
      return end !== undefined
    },
    noteEnd: (moment) => {
      end = moment
    },
  }
}

/**
 * A store whose writes renew a lease that ends soon, before they write anything else. A step that writes the item of the lease itself
 * says when the lease ends. `lost` makes the error of a write without the lease; without it, the work goes on all the same.
 */
export function renewing<S extends Store>(store: S, { until }: Terms, key: Key, lease: Lease, lost?: () => Error): S {
  const isItem = isAt(key)
  const write: Store['write'] = async (actions, purpose) => {
    const own = actions.find((action) => !('check' in action) && isItem(keyOf(action)))
    if (!own) await keep(lease, lost)
    await store.write(actions, purpose)
    if (own) noteStep(own, until, lease)
  }
  return { ...store, write }
}

async function keep(lease: Lease, lost: (() => Error) | undefined): Promise<void> {
  if (!lost) await lease.renew().catch(() => {})
  else if (!(await lease.renew())) throw lost()
}

/** Notes what a step has written of the end of its lease. */
function noteStep(step: Action, until: string, lease: Lease): void {
  if ('put' in step) lease.noteEnd(textAt(step.put, until))
  else if ('delete' in step) lease.noteEnd(undefined)
  else if ('update' in step && step.set?.[until] !== undefined) lease.noteEnd(step.set[until] as string)
}

/** The text at a path of an item, such as `data/until`. */
const textAt = (item: object, path: string): string | undefined =>
  path.split('/').reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], item) as
    | string
    | undefined
