import { succeeded } from '../table/actions.ts'
import { absent, every, exists, is, lacks } from '../table/expressions.ts'
import { outboxLeaseKey } from '../table/keys.ts'
import { leases, ownLease, writeLease } from '../table/lease.ts'
import { defineItem } from '../table/records.ts'
import type { Store } from '../table/store.ts'

/**
 * Only the process that holds this lease makes and tries deliveries. It renews the lease while it works. A process that finds
 * the lease held sets `again`: then the holder looks for new work before it ends.
 */
type StoredLease = { holder: string; until: string; again?: boolean }
const rows = defineItem<StoredLease>()

/** An attempt begins only if the lease lasts at least this much longer. */
export const ATTEMPT_MS = 20_000

type HolderContext = { store: Store; clock: () => Date; newId: () => string }

/** The lease, as its holder uses it. */
export type DeliveryLease = {
  /** Whether an attempt may begin: the lease lasts longer than it can take. Renews the lease where needed. */
  mayTry: () => Promise<boolean>
  /** Gives the lease back. False, with the lease still held, if another process has asked the holder to look again. */
  giveBack: () => Promise<boolean>
  /** Gives the lease back, even if another process has asked the holder to look again. */
  drop: () => Promise<void>
}

/** Takes the lease. Undefined if another process holds it: that process is asked to look again. */
export async function takeDeliveries(context: HolderContext): Promise<DeliveryLease | undefined> {
  for (;;) {
    const item = await context.store.get(outboxLeaseKey)
    const found = item && rows.of(item)
    const isHeld = found !== undefined && found.until > context.clock().toISOString()
    if (isHeld && (await askAgain(context.store, found))) return undefined
    const held = isHeld ? undefined : await takeFrom(context, found)
    if (held) return held
  }
}

/** Asks the holder to look again. False if it has just given the lease back. */
const askAgain = async (store: Store, { holder, again }: StoredLease): Promise<boolean> =>
  again ||
  succeeded(store.write([{ update: outboxLeaseKey, set: { again: true }, if: is({ holder }) }], 'housekeeping'))

async function takeFrom(context: HolderContext, before: StoredLease | undefined): Promise<DeliveryLease | undefined> {
  const mine = { holder: context.newId() }
  const isAsRead = before ? is({ holder: before.holder, until: before.until }) : absent
  const taking = { set: mine, clear: ['again'], if: isAsRead }
  const end = await writeLease(context, leases.deliveries, outboxLeaseKey, taking)
  return end === undefined ? undefined : deliveryLease(context, mine, end)
}

function deliveryLease(context: HolderContext, mine: Pick<StoredLease, 'holder'>, end: string): DeliveryLease {
  const { store } = context
  const lease = ownLease(context, leases.deliveries, { key: outboxLeaseKey, end, mine })
  return {
    mayTry: async () => (await lease.renew()) && lease.left() >= ATTEMPT_MS,
    giveBack: async () => {
      const release = { delete: outboxLeaseKey, if: every(is(mine), lacks('again')) }
      if (await succeeded(store.write([release], 'housekeeping'))) return true
      const keep = { update: outboxLeaseKey, clear: ['again'], if: every(exists, is(mine)) }
      // A process that has lost its lease has nothing to give back.
      return !(await succeeded(store.write([keep], 'housekeeping')))
    },
    drop: async () => {
      await succeeded(store.write([{ delete: outboxLeaseKey, if: is(mine) }], 'housekeeping'))
    },
  }
}
