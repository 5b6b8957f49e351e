import { setTimeout } from 'node:timers/promises'
import { traceOf } from '../base/errors.ts'
import * as keys from '../table/keys.ts'
import { wake } from '../table/outbox.ts'
import { all, type Key, keyIn, type OpenStore, pages, type Store, systemCause } from '../table/store.ts'
import { isFailing } from './backOff.ts'
import { type CourierContext, newCourier } from './courier.ts'
import { fanOut } from './fanOut.ts'
import { gathering } from './gathering.ts'
import { type Held, takeLease } from './lease.ts'
import { sweep } from './sweep.ts'
import { readHealth, readWebhooks } from './webhook.ts'

/** What deliveries need from outside. */
type Delivering = Omit<CourierContext, 'store' | 'done' | 'mayTry'> & {
  store: OpenStore
  /** Milliseconds until the function is ended. */
  timeLeft: () => number
  newId: () => string
  log: (line: object) => void
}

/**
 * What a run did. `stuck`: webhooks whose deliveries could not be tried, as KMS or the table failed; `failing`: webhooks that are
 * FAILING at its end; `isLeft`: there was no time for all.
 */
type DeliveryRun = CourierContext['done'] & { stuck: number; failing: number; isLeft: boolean }

const nothingDone = (): DeliveryRun => ({ delivered: 0, failed: 0, disabled: 0, stuck: 0, failing: 0, isLeft: false })

/** No attempt begins when less time is left: it takes 15 seconds at most, and its outcome has to be written. */
const RESERVE_MS = 20_000
/** How often the outbox is read while attempts are under way: each time all of its shards. */
const LOOK_MS = 250

type Run = Omit<Delivering, 'store'> &
  CourierContext & {
    /** The store of couriers: they write together. */
    gathered: Store
    couriers: Map<string, Underway>
    stuck: Set<string>
  }
/** Work for a webhook. `hasNews`: there are deliveries that its courier has not read. */
type Underway = { hasNews: boolean; ended: Promise<void> }

/**
 * Makes the deliveries of all that the outbox names, and tries all that are due, until nothing is left to do now or the time is
 * over; then the next run is started. Undefined if another process is at it.
 */
export async function deliver(context: Delivering): Promise<DeliveryRun | undefined> {
  const store = context.store.by(systemCause('deliver'))
  // There has never been a webhook.
  if (!(await store.get(keys.webhookCountsKey))) return undefined
  const held = await takeLease({ ...context, store })
  if (!held) return undefined
  const done = nothingDone()
  const run: Run = {
    ...{ ...context, store, done, mayTry: mayTry(context, held) },
    ...{ gathered: gathering(store), couriers: new Map(), stuck: new Set() },
  }
  let isHeld = true
  try {
    while (isHeld) {
      await work(run)
      if (isLate(context)) break
      isHeld = !(await held.giveBack())
    }
    done.failing = await countFailing(store)
    done.stuck = run.stuck.size
  } finally {
    if (isHeld) await held.drop()
  }
  done.isLeft = isHeld
  if (done.isLeft) await store.bulk([wake(context.newId())])
  return done
}

const isLate = ({ timeLeft }: Pick<Delivering, 'timeLeft'>): boolean => timeLeft() < RESERVE_MS

const mayTry = (context: Delivering, held: Held) => async (): Promise<boolean> =>
  !isLate(context) && (await held.mayTry())

async function work(run: Run): Promise<void> {
  const { store, clock, couriers } = run
  try {
    await beginAll(run)
    while (await run.mayTry()) {
      const reached = await fanOut(store, clock().toISOString(), run.mayTry)
      for (const id of reached ?? []) sendCourier(run, id)
      await Promise.race([untilIdle(run), setTimeout(LOOK_MS, undefined, { ref: false })])
      // What has come since then starts another process, which makes this one look again.
      if (!reached && couriers.size === 0) break
    }
  } finally {
    // The lease is given back when no attempt is under way, also after a failure.
    await untilIdle(run)
  }
}

/** Begins what there is to do for each webhook, also for those that are deleted. */
async function beginAll(run: Run): Promise<void> {
  const { store, clock } = run
  for (const marker of await all(store, keys.goneWebhooks))
    begin(run, keys.idOfGoneWebhook(marker), () => removeGone(run, marker))
  for (const webhook of await readWebhooks(store)) {
    if (webhook.mustSweep) await sweep(store, webhook, clock().toISOString()).catch(noteStuck(run, webhook.id))
    sendCourier(run, webhook.id)
  }
}

async function untilIdle({ couriers }: Run): Promise<void> {
  while (couriers.size > 0) await Promise.all([...couriers.values()].map(({ ended }) => ended))
}

async function countFailing(store: Store): Promise<number> {
  const enabled = (await readWebhooks(store)).filter((webhook) => webhook.enabled)
  const health = await Promise.all(enabled.map((webhook) => readHealth(store, webhook)))
  return health.filter(isFailing).length
}

/** Removes what is left of a deleted webhook; the marker last, so that the next run goes on if the time is over. */
async function removeGone({ store, mayTry }: Run, marker: Key): Promise<void> {
  const id = keys.idOfGoneWebhook(marker)
  for await (const { items } of pages(store, keys.allDeliveries(id))) {
    if (!(await mayTry())) return
    await store.bulk(items.map((item) => ({ delete: keyIn(item) })))
  }
  const others = [keys.webhookHealthKey(id), keys.replayKey(id), keyIn(marker)]
  for (const key of others) await store.bulk([{ delete: key }])
}

/** Lets a webhook's deliveries be tried. If that is under way, it goes on until there are no new ones. */
function sendCourier(run: Run, id: string): void {
  const active = run.couriers.get(id)
  if (active) active.hasNews = true
  else begin(run, id, (news) => newCourier({ ...run, store: run.gathered }, id, news).serve(), true)
}

/** Begins work for a webhook, in parallel with that for others. */
function begin(run: Run, id: string, work: (news: Underway) => Promise<void>, hasNews = false): void {
  const one: Underway = { hasNews, ended: Promise.resolve() }
  run.couriers.set(id, one)
  one.ended = work(one)
    .catch((error: unknown) => {
      one.hasNews = false
      noteStuck(run, id)(error)
    })
    .finally(() => {
      run.couriers.delete(id)
      // News that came while it was ending.
      if (one.hasNews) sendCourier(run, id)
    })
}

/** Notes that work for a webhook has failed. It holds up no other: the next run goes on with it. */
const noteStuck =
  ({ stuck, log }: Run, webhook: string) =>
  (error: unknown): void => {
    stuck.add(webhook)
    log({ level: 'error', webhook, ...traceOf(error) })
  }
