import { momentAfter } from '../base/text.ts'
import { absent, every, exists, is, lacks } from '../table/expressions.ts'
import { outboxLeaseKey } from '../table/keys.ts'
import { defineRow } from '../table/records.ts'
import { happened, type Store } from '../table/store.ts'

/**
 * One process at a time makes and tries deliveries. It has a lease, and renews it. Another process that has something for it
 * to do only notes that it should look `again` before it ends.
 */
type Lease = { holder: string; until: string; again?: boolean }
const rows = defineRow<Lease>()

/** Longer than an attempt, with a reserve for clocks that differ. */
const LEASE_MS = 45_000
/** An attempt begins only if the lease lasts at least this much longer. */
const ATTEMPT_MS = 20_000
/** A lease that ends sooner is renewed. */
const RENEWED_MS = 30_000

type Holding = { store: Store; clock: () => Date; newId: () => string }

/** What the holder of the lease can do with it. */
export type Held = {
  /** Whether an attempt may begin: the lease lasts longer than it can take. Renews the lease where needed. */
  mayTry: () => Promise<boolean>
  /** Gives the lease back. False if another process has found something to do meanwhile: then it is still held. */
  giveBack: () => Promise<boolean>
  /** Gives the lease back, whatever there is to do. */
  drop: () => Promise<void>
}

/** Takes the lease. Undefined if another process has it: it will look again for what there is to do now. */
export async function takeLease(holding: Holding): Promise<Held | undefined> {
  for (;;) {
    const item = await holding.store.get(outboxLeaseKey)
    const found = item && rows.of(item)
    const now = holding.clock().toISOString()
    const isHeld = found !== undefined && found.until > now
    if (isHeld && (await askAgain(holding.store, found))) return undefined
    const mine = { holder: holding.newId(), until: momentAfter(now, LEASE_MS) }
    if (!isHeld && (await replaceLease(holding.store, found, mine))) return heldBy(mine, holding)
  }
}

/** Asks the holder to look again. False if it has just given the lease back. */
const askAgain = async (store: Store, { holder, again }: Lease): Promise<boolean> =>
  again || happened(store.write([{ update: outboxLeaseKey, set: { again: true }, if: is({ holder }) }], 'aside'))

const replaceLease = (store: Store, before: Lease | undefined, mine: Lease): Promise<boolean> => {
  const expected = before ? is({ holder: before.holder, until: before.until }) : absent
  return happened(store.write([{ put: rows.item(outboxLeaseKey, mine), if: expected }], 'aside'))
}

function heldBy({ holder, until }: Lease, { store, clock }: Holding): Held {
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
