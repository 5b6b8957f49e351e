import { momentAfter } from '../base/text.ts'
import { absent, every, exists, is, lacks } from '../table/expressions.ts'
import { outboxLeaseKey } from '../table/keys.ts'
import { defineRow } from '../table/records.ts'
import { happened, type Store } from '../table/store.ts'

/**
 * Only the process that holds this lease makes and tries deliveries. It renews the lease while it works. A process that finds
 * the lease held sets `again`: then the holder looks for new work before it ends.
 */
type Lease = { holder: string; until: string; again?: boolean }
const rows = defineRow<Lease>()

/** Longer than an attempt, with a reserve for clocks that differ. */
const LEASE_MS = 45_000
/** An attempt begins only if the lease lasts at least this much longer. */
const ATTEMPT_MS = 20_000
/** A lease that ends sooner is renewed. */
const RENEWED_MS = 30_000

type LeaseContext = { store: Store; clock: () => Date; newId: () => string }

/** The lease, as its holder uses it. */
export type HeldLease = {
  /** Whether an attempt may begin: the lease lasts longer than it can take. Renews the lease where needed. */
  mayTry: () => Promise<boolean>
  /** Gives the lease back. False, with the lease still held, if another process has asked the holder to look again. */
  giveBack: () => Promise<boolean>
  /** Gives the lease back, even if another process has asked the holder to look again. */
  drop: () => Promise<void>
}

/** Takes the lease. Undefined if another process holds it: that process is asked to look again. */
export async function takeLease(context: LeaseContext): Promise<HeldLease | undefined> {
  for (;;) {
    const item = await context.store.get(outboxLeaseKey)
    const found = item && rows.of(item)
    const now = context.clock().toISOString()
    const isHeld = found !== undefined && found.until > now
    if (isHeld && (await askAgain(context.store, found))) return undefined
    const mine = { holder: context.newId(), until: momentAfter(now, LEASE_MS) }
    if (!isHeld && (await replaceLease(context.store, found, mine))) return heldBy(mine, context)
  }
}

/** Asks the holder to look again. False if it has just given the lease back. */
const askAgain = async (store: Store, { holder, again }: Lease): Promise<boolean> =>
  again || happened(store.write([{ update: outboxLeaseKey, set: { again: true }, if: is({ holder }) }], 'aside'))

const replaceLease = (store: Store, before: Lease | undefined, mine: Lease): Promise<boolean> => {
  const expected = before ? is({ holder: before.holder, until: before.until }) : absent
  return happened(store.write([{ put: rows.item(outboxLeaseKey, mine), if: expected }], 'aside'))
}

function heldBy({ holder, until }: Lease, { store, clock }: LeaseContext): HeldLease {
  let end = Date.parse(until)
  let renewing: Promise<void> | undefined
  const renew = async (): Promise<void> => {
    const next = clock().getTime() + LEASE_MS
    const renewed = { update: outboxLeaseKey, set: { until: new Date(next).toISOString() }, if: is({ holder }) }
    end = (await happened(store.write([renewed], 'aside'))) ? next : 0
  }
  const left = (): number => end - clock().getTime()
  return {
    mayTry: async () => {
      if (end > 0 && left() < RENEWED_MS) {
        renewing ??= renew().finally(() => {
          renewing = undefined
        })
        await renewing
      }
      return left() >= ATTEMPT_MS
    },
    giveBack: async () => {
      const release = { delete: outboxLeaseKey, if: every(is({ holder }), lacks('again')) }
      if (await happened(store.write([release], 'aside'))) return true
      const keep = { update: outboxLeaseKey, clear: ['again'], if: every(exists, is({ holder })) }
      // A process that has lost its lease has nothing to give back.
      return !(await happened(store.write([keep], 'aside')))
    },
    drop: async () => {
      await happened(store.write([{ delete: outboxLeaseKey, if: is({ holder }) }], 'aside'))
    },
  }
}
