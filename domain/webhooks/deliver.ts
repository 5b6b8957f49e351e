import { setTimeout } from 'node:timers/promises'
import { traceOf } from '../base/errors.ts'
import { systemCause } from '../table/actions.ts'
import { keyIn } from '../table/items.ts'
import * as keys from '../table/keys.ts'
import type { OpenStore } from '../table/openStore.ts'
import { wake } from '../table/outbox.ts'
import { all, pagesOf } from '../table/reader.ts'
import type { Key, WorkStore } from '../table/store.ts'
import { isShortOfTime } from '../work/steps.ts'
import { combineWrites } from './combineWrites.ts'
import { type CourierContext, newCourier } from './courier.ts'
import { ATTEMPT_MS, type DeliveryLease, takeDeliveries } from './deliveryLease.ts'
import { failWaiting } from './failWaiting.ts'
import { fanOut } from './fanOut.ts'
import { isFailing } from './health.ts'
import { readHealth, readWebhooks } from './webhook.ts'

/** What a run gets from outside. */
type DeliverContext = Omit<CourierContext, 'store' | 'done' | 'mayTry'> & {
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

/** The time between two reads of the outbox while attempts are under way. Each read is of all its shards. */
const LOOK_MS = 250
/**
 * While a run lasts, each webhook is looked at again after this time, so that a retry is not held up by the backlog of another
 * webhook.
 */
const EACH_MS = 5_000

type Run = Omit<DeliverContext, 'store'> &
  CourierContext & {
    /** The store of couriers: what they write at about the same time is one request. */
    combining: WorkStore
    /** Work under way, by webhook: its courier, or the removal of what a deleted webhook leaves. */
    underWay: Map<string, WebhookWork>
    /** The ids of webhooks whose work has failed. */
    failedWebhooks: Set<string>
  }
/** Work for one webhook. `mustRead`: there may be deliveries that its courier has not read. */
type WebhookWork = { mustRead: boolean; ended: Promise<void> }

/**
 * Makes the deliveries of all events in the outbox, and tries all that are due, until nothing is left to do now. If the time is
 * over before that, it starts the next run. Undefined if there has never been a webhook, or another process holds the lease.
 */
export async function deliver(context: DeliverContext): Promise<DeliveryRun | undefined> {
  const store = context.store.causedBy(systemCause('deliver'))
  if (!(await store.get(keys.webhookCountsKey))) return undefined
  const held = await takeDeliveries({ ...context, store })
  if (!held) return undefined
  const done = nothingDone()
  const run: Run = {
    ...context,
    store,
    done,
    mayTry: mayTry(context, held),
    combining: combineWrites(store),
    underWay: new Map(),
    failedWebhooks: new Set(),
  }
  let isHeld = true
  try {
    while (isHeld) {
      await makeAndTry(run)
      if (isShortOfTime(context, ATTEMPT_MS)) break
      isHeld = !(await held.giveBack())
    }
    done.failing = await countFailing(store)
    done.stuck = run.failedWebhooks.size
  } finally {
    if (isHeld) await held.drop()
  }
  done.isLeft = isHeld
  if (done.isLeft) await store.bulk([wake(context.newId())])
  return done
}

const mayTry = (context: DeliverContext, held: DeliveryLease) => async (): Promise<boolean> =>
  !isShortOfTime(context, ATTEMPT_MS) && (await held.mayTry())

/** Makes deliveries from the outbox, and tries them in parallel, until both are done or the time is over. */
async function makeAndTry(run: Run): Promise<void> {
  const { store, clock, underWay } = run
  try {
    await beginForEach(run)
    const lookAtEach = eachInTime(run)
    while (await run.mayTry()) {
      const reached = await fanOut(store, clock().toISOString(), run.mayTry)
      for (const id of reached ?? []) sendCourier(run, id)
      await Promise.race([untilIdle(run), setTimeout(LOOK_MS, undefined, { ref: false })])
      // A later event starts another process, which asks this one to look again (takeDeliveries).
      if (!reached && underWay.size === 0) break
      await lookAtEach()
    }
  } finally {
    // The lease is given back when no attempt is under way, also after a failure.
    await untilIdle(run)
  }
}

/** Returns a function that sends a courier to each webhook that has none, if that was long ago. */
function eachInTime(run: Run): () => Promise<void> {
  let looked = run.clock().getTime()
  return async () => {
    const now = run.clock().getTime()
    if (now - looked < EACH_MS) return
    looked = now
    for (const { id } of await readWebhooks(run.store)) if (!run.underWay.has(id)) sendCourier(run, id)
  }
}

/** Begins the work for every webhook, and for what deleted ones have left. */
async function beginForEach(run: Run): Promise<void> {
  const { store, clock } = run
  for (const goneWebhook of await all(store, keys.goneWebhooks))
    begin(run, keys.idOfGoneWebhook(goneWebhook), () => removeGone(run, goneWebhook))
  for (const webhook of await readWebhooks(store)) {
    const { id, mustSweep } = webhook
    if (mustSweep) begin(run, id, () => failWaiting(store, webhook, clock().toISOString(), run.mayTry), true)
    else sendCourier(run, id)
  }
}

async function untilIdle({ underWay }: Run): Promise<void> {
  while (underWay.size > 0) await Promise.all([...underWay.values()].map(({ ended }) => ended))
}

async function countFailing(store: WorkStore): Promise<number> {
  const enabled = (await readWebhooks(store)).filter((webhook) => webhook.enabled)
  const health = await Promise.all(enabled.map((webhook) => readHealth(store, webhook)))
  return health.filter(isFailing).length
}

/** Removes what a deleted webhook has left. Its last item goes last: if the time is over before, the next run does the rest. */
async function removeGone({ store, mayTry }: Run, goneWebhook: Key): Promise<void> {
  const id = keys.idOfGoneWebhook(goneWebhook)
  for await (const { items } of pagesOf(store, keys.allDeliveries(id))) {
    if (!(await mayTry())) return
    await store.bulk(items.map((item) => ({ delete: keyIn(item) })))
  }
  const others = [keys.webhookHealthKey(id), keys.replayKey(id), keyIn(goneWebhook)]
  for (const key of others) await store.bulk([{ delete: key }])
}

/** Starts the courier of a webhook. If one is under way, it is to read new deliveries before it ends. */
function sendCourier(run: Run, id: string): void {
  const active = run.underWay.get(id)
  if (active) active.mustRead = true
  else begin(run, id, (active) => newCourier({ ...run, store: run.combining }, id, active).tryDeliveries(), true)
}

/**
 * Begins work for a webhook, in parallel with other webhooks.
 * `work` gets its value in `underWay`, to see and clear `mustRead`. If that is set at the end, the courier follows.
 */
function begin(run: Run, id: string, work: (active: WebhookWork) => Promise<void>, mustRead = false): void {
  const active: WebhookWork = { mustRead, ended: Promise.resolve() }
  run.underWay.set(id, active)
  active.ended = work(active)
    .catch((error: unknown) => {
      active.mustRead = false
      noteFailure(run, id)(error)
    })
    .finally(() => {
      run.underWay.delete(id)
      // Deliveries may have come while it was ending.
      if (active.mustRead) sendCourier(run, id)
    })
}

/** Logs that work for a webhook has failed. Other webhooks go on, and the next run tries this one again. */
const noteFailure =
  ({ failedWebhooks, log }: Run, webhook: string) =>
  (error: unknown): void => {
    failedWebhooks.add(webhook)
    log({ level: 'error', webhook, ...traceOf(error) })
  }
