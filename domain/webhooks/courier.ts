import { decideAgain } from '../base/retry.ts'
import { momentAfter } from '../base/text.ts'
import { succeeded } from '../table/actions.ts'
import { replaceRecord, requireFields } from '../table/changes.ts'
import { keyIn } from '../table/items.ts'
import * as keys from '../table/keys.ts'
import { pagesOf } from '../table/reader.ts'
import type { WorkStore } from '../table/store.ts'
import {
  type DeliveryChange,
  deliveryIn,
  finishDelivery,
  type ListedDelivery,
  stateOf,
  waitActions,
  withAttempt,
} from './delivery.ts'
import { afterFailure, afterSuccess, type Health, healthy, isFailing, isGivenUp, isPaused } from './health.ts'
import type { KeyService } from './keyService.ts'
import { bodyOf, messageOf } from './message.ts'
import type { Reach } from './reach.ts'
import { goOnWithReplay, readReplay } from './replay.ts'
import { type Attempt, send } from './send.ts'
import { retryAfter, waitAfter } from './waits.ts'
import { countWebhook, healthItem, isSameReceiver, readWithHealth, type Webhook, webhooks } from './webhook.ts'

/** What a courier gets from the run of `deliver` that it is a part of. */
export type CourierContext = {
  store: WorkStore
  clock: () => Date
  keyService: KeyService
  reach: Reach
  /** Whether another attempt may begin. */
  mayTry: () => Promise<boolean>
  /** What the run has done: attempts that succeeded and that failed, webhooks that were disabled. */
  done: { delivered: number; failed: number; disabled: number }
}

/** `mustRead`: there may be deliveries that the courier has not read. Set by the run, cleared by the courier. */
type Unread = { mustRead: boolean }

/** Tries the deliveries of one webhook. */
export const newCourier = (
  context: CourierContext,
  webhook: string,
  unread: Unread,
): { tryDeliveries: () => Promise<void> } => new Courier(context, webhook, unread)

/** Deliveries of each list that are read together. */
const READ_AT_ONCE = 100
/** The most new deliveries that are read to find one that can be tried: those of a record wait for each other. */
const MOST_LOOKED_AT = 1000
/** An attempt begins within this time after its webhook was read: so 2 seconds after a webhook was disabled none begins. */
const LONGEST_PREPARATION_MS = 1500
/** The status of a receiver that wants nothing any more. */
const GONE = 410

/** What an attempt needs. Without a message the event is no longer kept. */
type Prepared = { webhook: Webhook; at: string; message: ReturnType<typeof messageOf> | undefined }

/** The deliveries of one webhook, as one run tries them. */
class Courier {
  readonly #run: CourierContext
  readonly #id: string
  readonly #unread: Unread
  /** The webhook as it was last read; undefined before that, and once it is deleted. */
  #webhook: Webhook | undefined
  /** How its receiver does. */
  #health = healthy
  /** Deliveries that were read and have yet to be tried. */
  #waiting: ListedDelivery[] = []
  /** Whether the lists may have deliveries that are not in `#waiting`. */
  #mayHaveMore = false
  #isReplaying = false
  /** The attempts under way, by the record of their event: at most one of each. */
  readonly #underWay = new Map<string, { delivery: ListedDelivery; ended: Promise<void> }>()
  /** The last write of the health. */
  #saving: Promise<unknown> = Promise.resolve()
  /** Unsealed secrets, by the sealed ones. */
  readonly #secrets = new Map<string, string>()

  constructor(run: CourierContext, id: string, unread: Unread) {
    this.#run = run
    this.#id = id
    this.#unread = unread
  }

  /** Tries deliveries until none is left that can be tried now. */
  async tryDeliveries(): Promise<void> {
    try {
      while (await this.#beginAttempts()) await Promise.race(this.#attempts())
    } finally {
      await Promise.allSettled(this.#attempts())
    }
    await this.#saving
  }

  #attempts(): Promise<void>[] {
    return [...this.#underWay.values()].map(({ ended }) => ended)
  }

  /** Begins as many attempts as are allowed now. False if none is under way and none can begin: the next run does the rest. */
  async #beginAttempts(): Promise<boolean> {
    while (await this.#mayGoOn()) {
      const free = this.#freeAttempts()
      for (const delivery of await this.#nextDeliveries(free)) this.#begin(delivery)
      if (this.#underWay.size > 0) return true
      if (!this.#mayFindMore(free)) return false
    }
    this.#unread.mustRead = false
    return this.#underWay.size > 0
  }

  /** False once the time is over, or the webhook is deleted. */
  async #mayGoOn(): Promise<boolean> {
    if (!(await this.#run.mayTry())) return false
    if (this.#unread.mustRead) await this.#refresh()
    return this.#webhook !== undefined
  }

  /** Whether there may be a delivery that can be tried now, although none was found. */
  #mayFindMore(free: number): boolean {
    return this.#unread.mustRead || (free > 0 && (this.#mayHaveMore || this.#isReplaying))
  }

  /** Reads the webhook and whether a replay is under way: at first, and if a call or `fanOut` has changed something. */
  async #refresh(): Promise<void> {
    const { store } = this.#run
    this.#unread.mustRead = false
    this.#mayHaveMore = true
    const [found, replay] = await Promise.all([readWithHealth(store, this.#id), readReplay(store, this.#id)])
    // This process alone changes the health: what is stored may be older than what it knows.
    if (!this.#webhook && found) this.#health = found.health
    this.#setWebhook(found?.webhook)
    this.#isReplaying = replay !== undefined
  }

  /** Sets the webhook that has just been read. If it has another receiver, that one is healthy until it is tried. */
  #setWebhook(webhook: Webhook | undefined): void {
    if (this.#webhook && webhook && !isSameReceiver(this.#webhook, webhook)) this.#health = healthy
    this.#webhook = webhook
  }

  /** How many attempts may begin now. */
  #freeAttempts(): number {
    if (isPaused(this.#health, this.#run.clock().toISOString())) return 0
    return this.#health.atOnce - this.#underWay.size
  }

  #begin(delivery: ListedDelivery): void {
    const { record } = delivery
    this.#waiting = this.#waiting.filter((one) => one !== delivery)
    const ended = this.#attempt(delivery).finally(() => this.#underWay.delete(record))
    this.#underWay.set(record, { delivery, ended })
    // `tryDeliveries` awaits it, but maybe later.
    ended.catch(() => {})
  }

  /** Deliveries that can be tried now: at most one of each record, the earliest one. */
  async #nextDeliveries(most: number): Promise<ListedDelivery[]> {
    if (most <= 0) return []
    const chosen = this.#startable().slice(0, most)
    const mayHaveMore = this.#mayHaveMore || (this.#isReplaying && this.#underWay.size === 0)
    if (chosen.length > 0 || !mayHaveMore) return chosen
    await this.#readWaiting()
    return this.#startable().slice(0, most)
  }

  #startable(): ListedDelivery[] {
    const records = new Set(this.#underWay.keys())
    return this.#waiting.filter(({ record }) => {
      const isFirst = !records.has(record)
      records.add(record)
      return isFirst
    })
  }

  /** Reads what is due, and new deliveries; a replay makes some when nothing else waits. */
  async #readWaiting(): Promise<void> {
    const { store, clock } = this.#run
    // Deliveries under way are still in their lists. They must not be tried a second time.
    const begun = new Set([...this.#underWay.values()].map(({ delivery }) => listAndId(delivery)))
    const now = clock().toISOString()
    const [due, fresh] = await Promise.all([this.#readDue(now), this.#readNew()])
    this.#waiting = interleaved(due, fresh).filter((one) => !begun.has(listAndId(one)))
    this.#mayHaveMore = due.length >= READ_AT_ONCE || fresh.length >= READ_AT_ONCE
    if (this.#isReplaying && this.#waiting.length === 0 && this.#underWay.size === 0) {
      this.#isReplaying = await goOnWithReplay(store, this.#id, now)
      this.#mayHaveMore = this.#isReplaying
    }
  }

  /** Deliveries in AGAIN whose next attempt is due. If the webhook is disabled, all of them are due: each is moved to FAILED. */
  async #readDue(now: string): Promise<ListedDelivery[]> {
    const { store } = this.#run
    const range = keys.dueDeliveries(this.#id, this.#webhook?.enabled ? now : undefined)
    const { items } = await store.query({ ...range, limit: READ_AT_ONCE })
    const found = await Promise.all(
      items.map(async (item) => {
        const again = await store.get(keys.deliveryKey(this.#id, 'AGAIN', keys.idOfDelivery(item)))
        const delivery = again && deliveryIn(again)
        if (delivery && keys.dueKey(this.#id, delivery.next_attempt_at ?? '', delivery.id).sk === item.sk)
          return [delivery]
        // The delivery has been moved meanwhile, or a process died before it deleted this item of DUE.
        await store.bulk([{ delete: keyIn(item) }])
        return []
      }),
    )
    return found.flat()
  }

  /** New deliveries. Reads on until it has one whose record has no attempt under way. */
  async #readNew(): Promise<ListedDelivery[]> {
    const found: ListedDelivery[] = []
    const busy = new Set(this.#underWay.keys())
    let isEnough = false
    for await (const { items } of pagesOf(this.#run.store, {
      ...keys.deliveriesIn(this.#id, 'NEW'),
      limit: READ_AT_ONCE,
    })) {
      found.push(...items.map(deliveryIn))
      isEnough ||= found.some(({ record }) => !busy.has(record)) || found.length >= MOST_LOOKED_AT
      if (isEnough) break
    }
    return found
  }

  /** One attempt at a delivery, and what follows from it. */
  async #attempt(delivery: ListedDelivery): Promise<void> {
    const { store, clock, reach } = this.#run
    const prepared = await this.#prepare(delivery)
    if (!prepared) return
    const { webhook, message, at } = prepared
    const result: Attempt = message
      ? await send(webhook.url, message, reach)
      : { status: null, ms: 0, fault: 'the event is no longer kept' }
    const after = withAttempt(delivery, at, result)
    const now = clock().toISOString()
    const change = { before: delivery, after }
    if (!message) return finishDelivery(store, this.#id, change, 'FAILED', now)
    if (result.fault === null) {
      this.#run.done.delivered++
      await finishDelivery(store, this.#id, change, 'DELIVERED', now)
      return this.#setHealth(afterSuccess(this.#health), webhook)
    }
    await this.#fail(change, webhook, result, now)
  }

  /**
   * What an attempt needs, read right before it. Undefined if there is none: the time or the lease is over, the webhook is gone
   * or disabled, or the event before this one of the same record has yet to be tried.
   */
  async #prepare(delivery: ListedDelivery): Promise<Prepared | undefined> {
    const { store, clock, mayTry } = this.#run
    while (await mayTry()) {
      const began = clock()
      const at = began.toISOString()
      const [webhook, body, earlier] = await this.#readFor(delivery, at)
      this.#setWebhook(webhook)
      if (!webhook || earlier) {
        this.#unread.mustRead ||= earlier !== undefined
        return undefined
      }
      if (stateOf(delivery, webhook) === 'FAILED' || webhook.generation !== delivery.generation) {
        await finishDelivery(store, this.#id, { before: delivery, after: delivery }, 'FAILED', at)
        return undefined
      }
      const secrets = await this.#unsealSecrets(webhook, at)
      if (clock().getTime() - began.getTime() <= LONGEST_PREPARATION_MS)
        return { webhook, at, message: body && messageOf(delivery, body, secrets, began) }
    }
    return undefined
  }

  /** The webhook, the body, and the delivery of the event before, if that has yet to be tried. */
  #readFor(delivery: ListedDelivery, at: string) {
    const { store } = this.#run
    const { previous, list } = delivery
    return Promise.all([
      webhooks.read(store, this.#id),
      bodyOf(store, this.#id, delivery, at),
      list === 'NEW' && previous ? store.get(keys.deliveryKey(this.#id, 'NEW', keys.deliveryOf(previous))) : undefined,
    ])
  }

  /** The secrets that sign now. */
  #unsealSecrets({ secrets }: Webhook, now: string): Promise<string[]> {
    const valid = secrets.filter(({ until }) => until === null || until > now)
    return Promise.all(
      valid.map(async ({ sealed }) => {
        const unsealed = this.#secrets.get(sealed) ?? (await this.#run.keyService.unseal(sealed, this.#id))
        this.#secrets.set(sealed, unsealed)
        return unsealed
      }),
    )
  }

  /** Writes a failed attempt. While the webhook is FAILING, it does not count as one of the delivery's nine. */
  async #fail(
    change: DeliveryChange,
    webhook: Webhook,
    { status, retryAfter: header }: Attempt,
    now: string,
  ): Promise<void> {
    const { store, clock, done } = this.#run
    const { before, after } = change
    done.failed++
    const pause = retryAfter(header, clock()) ?? 0
    const failures = before.failures + (isFailing(this.#health) ? 0 : 1)
    const wait = waitAfter(Math.max(1, failures), Math.random())
    this.#setHealth(afterFailure(this.#health, now, pause), webhook)
    if (wait === undefined) await finishDelivery(store, this.#id, change, 'FAILED', now)
    else {
      const next_attempt_at = momentAfter(now, Math.max(wait, pause))
      const actions = waitActions(this.#id, before, { ...after, failures, next_attempt_at }, now)
      // A call may have opened it again meanwhile: then it waits already.
      await succeeded(store.write(actions, 'housekeeping'))
    }
    if (status === GONE || isGivenUp(this.#health, now)) await this.#disable(webhook)
  }

  /**
   * Sets how the receiver of an attempt does, and writes it if it has changed; does nothing if the webhook has another receiver
   * by now. The writes follow each other, so the last one stays.
   */
  #setHealth(health: Health, webhook: Webhook): void {
    const { store } = this.#run
    if (!this.#webhook || !isSameReceiver(this.#webhook, webhook)) return
    const isSame = JSON.stringify(health) === JSON.stringify(this.#health)
    this.#health = health
    if (isSame) return
    const { id, url, generation } = webhook
    const write = [{ put: healthItem(webhook, health) }, requireFields(webhooks, [id], { url, generation })]
    this.#saving = this.#saving.then(() => succeeded(store.write(write, 'housekeeping')))
    this.#saving.catch(() => {})
  }

  /** Disables the webhook, if it still has the receiver of the attempt. */
  async #disable(webhook: Webhook): Promise<void> {
    const { store, clock, done } = this.#run
    await decideAgain(async () => {
      const before = await webhooks.read(store, this.#id)
      if (!before?.enabled || !isSameReceiver(before, webhook)) return
      const after = { ...before, enabled: false, mustSweep: true, updated_at: clock().toISOString() }
      await store.write([replaceRecord(webhooks, before, after), ...countWebhook(before, after)])
      done.disabled++
    })
    this.#unread.mustRead = true
  }
}

const listAndId = ({ list, id }: ListedDelivery): string => `${list}#${id}`

/** One item of each list in turn, so that neither list waits for the end of the other. */
const interleaved = <T>(one: readonly T[], other: readonly T[]): T[] =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, n) => [one[n], other[n]])
    .flat()
    .filter((item): item is T => item !== undefined)
