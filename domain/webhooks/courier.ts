import { decideAgain } from '../base/flow.ts'
import { momentAfter } from '../base/text.ts'
import { exists } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { happened, keyIn, pages, type Store } from '../table/store.ts'
import {
  afterFailure,
  afterSuccess,
  type Health,
  healthy,
  isFailing,
  isGivenUp,
  isPaused,
  retryAfter,
  waitAfter,
} from './backOff.ts'
import { deliveryIn, end, type Listed, opening, withAttempt } from './delivery.ts'
import type { KeyService } from './keyService.ts'
import { bodyOf, messageOf } from './message.ts'
import { goOnWithReplay, readReplay } from './replay.ts'
import { type Attempt, type Reach, send } from './send.ts'
import { countWebhook, healthItem, isSameReceiver, readWithHealth, type Webhook, webhooks } from './webhook.ts'

/** What couriers need from the run that they are a part of. */
export type CourierContext = {
  store: Store
  clock: () => Date
  keyService: KeyService
  reach: Reach
  /** Whether another attempt may begin. */
  mayTry: () => Promise<boolean>
  /** What the run has done: attempts that succeeded and that failed, webhooks that were disabled. */
  done: { delivered: number; failed: number; disabled: number }
}

/** Whether there are deliveries that the courier has not read. */
type News = { hasNews: boolean }

/** Tries the deliveries of one webhook. */
export const newCourier = (context: CourierContext, webhook: string, news: News): { serve: () => Promise<void> } =>
  new Courier(context, webhook, news)

/** Deliveries of each list that are read together. */
const READ_AT_ONCE = 100
/** So many are looked through for one that can be tried: others wait for an earlier event of their record. */
const MOST_LOOKED_AT = 1000
/** An attempt begins within this time after its webhook was read: a webhook that is disabled gets none 2 seconds later. */
const FRESH_MS = 1500

/** A delivery before and after an attempt. */
type Move = { before: Listed; after: Listed }

/** What an attempt needs. Without a message the event is no longer kept. */
type Prepared = { webhook: Webhook; at: string; message: ReturnType<typeof messageOf> | undefined }

/** The deliveries of one webhook, as one run tries them. */
class Courier {
  readonly #run: CourierContext
  readonly #id: string
  readonly #news: News
  /** The webhook as it was last read. */
  #webhook: Webhook | undefined
  /** How its receiver does. */
  #health = healthy
  #waiting: Listed[] = []
  #mayHaveMore = false
  #isReplaying = false
  /** By record: at most one delivery of each. */
  readonly #underWay = new Map<string, { delivery: Listed; ended: Promise<void> }>()
  #saving: Promise<unknown> = Promise.resolve()
  readonly #secrets = new Map<string, string>()

  constructor(run: CourierContext, id: string, news: News) {
    this.#run = run
    this.#id = id
    this.#news = news
  }

  /** Tries deliveries until none is left that can be tried now. */
  async serve(): Promise<void> {
    try {
      while (await this.#goOn()) await Promise.race(this.#attempts())
    } finally {
      await Promise.allSettled(this.#attempts())
    }
    await this.#saving
  }

  #attempts(): Promise<void>[] {
    return [...this.#underWay.values()].map(({ ended }) => ended)
  }

  /** Begins as many attempts as may be. False if none is under way, and none can begin now: the next run goes on. */
  async #goOn(): Promise<boolean> {
    while (await this.#mayGoOn()) {
      const free = this.#free()
      for (const delivery of await this.#choose(free)) this.#begin(delivery)
      if (this.#underWay.size > 0) return true
      if (!this.#isMore(free)) return false
    }
    this.#news.hasNews = false
    return this.#underWay.size > 0
  }

  /** False once the time is over, or the webhook is deleted. */
  async #mayGoOn(): Promise<boolean> {
    if (!(await this.#run.mayTry())) return false
    if (this.#news.hasNews) await this.#refresh()
    return this.#webhook !== undefined
  }

  /** Whether there may be a delivery that can be tried now, although none was found. */
  #isMore(free: number): boolean {
    return this.#news.hasNews || (free > 0 && (this.#mayHaveMore || this.#isReplaying))
  }

  /** Reads the webhook and whether a replay is under way: at first, and if a call or `fanOut` has changed something. */
  async #refresh(): Promise<void> {
    const { store } = this.#run
    this.#news.hasNews = false
    this.#mayHaveMore = true
    const [found, replay] = await Promise.all([readWithHealth(store, this.#id), readReplay(store, this.#id)])
    // This process alone changes the health: what is stored may be older than what it knows.
    if (!this.#webhook && found) this.#health = found.health
    this.#adopt(found?.webhook)
    this.#isReplaying = replay !== undefined
  }

  /** Takes over the webhook that has just been read. Another receiver is healthy until it is tried. */
  #adopt(webhook: Webhook | undefined): void {
    if (this.#webhook && webhook && !isSameReceiver(this.#webhook, webhook)) this.#health = healthy
    this.#webhook = webhook
  }

  /** How many attempts may begin now. */
  #free(): number {
    if (isPaused(this.#health, this.#run.clock().toISOString())) return 0
    return this.#health.atOnce - this.#underWay.size
  }

  #begin(delivery: Listed): void {
    const { record } = delivery
    this.#waiting = this.#waiting.filter((one) => one !== delivery)
    const ended = this.#attempt(delivery).finally(() => this.#underWay.delete(record))
    this.#underWay.set(record, { delivery, ended })
    // `serve` awaits it, but maybe later.
    ended.catch(() => {})
  }

  /** Deliveries that can be tried now: at most one of each record, the earliest one. */
  async #choose(most: number): Promise<Listed[]> {
    if (most <= 0) return []
    const chosen = this.#startable().slice(0, most)
    const mayHaveMore = this.#mayHaveMore || (this.#isReplaying && this.#underWay.size === 0)
    if (chosen.length > 0 || !mayHaveMore) return chosen
    await this.#read()
    return this.#startable().slice(0, most)
  }

  #startable(): Listed[] {
    const records = new Set(this.#underWay.keys())
    return this.#waiting.filter(({ record }) => {
      const isFirst = !records.has(record)
      records.add(record)
      return isFirst
    })
  }

  /** Reads what is due, and new deliveries; a replay makes some when nothing else waits. */
  async #read(): Promise<void> {
    const { store, clock } = this.#run
    // These are still listed, but may have ended before they would be tried once more.
    const begun = new Set([...this.#underWay.values()].map(({ delivery }) => placeOf(delivery)))
    const now = clock().toISOString()
    const [due, fresh] = await Promise.all([this.#due(now), this.#fresh()])
    this.#waiting = interleaved(due, fresh).filter((one) => !begun.has(placeOf(one)))
    this.#mayHaveMore = due.length >= READ_AT_ONCE || fresh.length >= READ_AT_ONCE
    if (this.#isReplaying && this.#waiting.length === 0 && this.#underWay.size === 0) {
      this.#isReplaying = await goOnWithReplay(store, this.#id, now)
      this.#mayHaveMore = this.#isReplaying
    }
  }

  /** Deliveries whose next attempt is due. Those of a disabled webhook are all due: they fail. */
  async #due(now: string): Promise<Listed[]> {
    const { store } = this.#run
    const range = keys.dueDeliveries(this.#id, this.#webhook?.enabled ? now : undefined)
    const { items } = await store.query({ ...range, limit: READ_AT_ONCE })
    const found = await Promise.all(
      items.map(async (item) => {
        const again = await store.get(keys.deliveryKey(this.#id, 'AGAIN', keys.idOfDelivery(item)))
        const delivery = again && deliveryIn(again)
        if (delivery && keys.dueKey(this.#id, delivery.next_attempt_at ?? '', delivery.id).sk === item.sk)
          return [delivery]
        // It has been moved meanwhile, or a process died while it ended the delivery.
        await store.bulk([{ delete: keyIn(item) }])
        return []
      }),
    )
    return found.flat()
  }

  /** New deliveries, until one is among them whose record has no attempt under way. */
  async #fresh(): Promise<Listed[]> {
    const found: Listed[] = []
    const busy = new Set(this.#underWay.keys())
    let isEnough = false
    for await (const { items } of pages(this.#run.store, {
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
  async #attempt(delivery: Listed): Promise<void> {
    const { store, clock, reach } = this.#run
    const prepared = await this.#prepare(delivery)
    if (!prepared) return
    const { webhook, message, at } = prepared
    const result: Attempt = message
      ? await send(webhook.url, message, reach)
      : { status: null, ms: 0, fault: 'the event is no longer kept' }
    const after = withAttempt(delivery, at, result)
    const now = clock().toISOString()
    const move = { before: delivery, after }
    if (!message) return end(store, this.#id, [move], 'FAILED', now)
    if (result.fault === null) {
      this.#run.done.delivered++
      await end(store, this.#id, [move], 'DELIVERED', now)
      return this.#become(afterSuccess(this.#health), webhook)
    }
    await this.#fail(move, webhook, result, now)
  }

  /**
   * What an attempt needs, read right before it. Undefined if there is none: the time or the lease is over, the webhook is gone
   * or disabled, or the event before this one of the same record has yet to be tried.
   */
  async #prepare(delivery: Listed): Promise<Prepared | undefined> {
    const { store, clock, mayTry } = this.#run
    while (await mayTry()) {
      const began = clock()
      const at = began.toISOString()
      const [webhook, body, earlier] = await this.#readFor(delivery, at)
      this.#adopt(webhook)
      if (!webhook || earlier) {
        this.#news.hasNews ||= earlier !== undefined
        return undefined
      }
      if (!webhook.enabled || webhook.generation !== delivery.generation) {
        await end(store, this.#id, [{ before: delivery, after: delivery }], 'FAILED', at)
        return undefined
      }
      const secrets = await this.#openSecrets(webhook, at)
      if (clock().getTime() - began.getTime() <= FRESH_MS)
        return { webhook, at, message: body && messageOf(delivery, body, secrets, began) }
    }
    return undefined
  }

  /** The webhook, the body, and the delivery of the event before, if that has yet to be tried. */
  #readFor(delivery: Listed, at: string) {
    const { store } = this.#run
    const { previous, list } = delivery
    return Promise.all([
      webhooks.read(store, this.#id),
      bodyOf(store, this.#id, delivery, at),
      list === 'NEW' && previous ? store.get(keys.deliveryKey(this.#id, 'NEW', keys.deliveryOf(previous))) : undefined,
    ])
  }

  /** The secrets that sign now. */
  #openSecrets({ secrets }: Webhook, now: string): Promise<string[]> {
    const valid = secrets.filter(({ until }) => until === null || until > now)
    return Promise.all(
      valid.map(async ({ sealed }) => {
        const opened = this.#secrets.get(sealed) ?? (await this.#run.keyService.decrypt(sealed, this.#id))
        this.#secrets.set(sealed, opened)
        return opened
      }),
    )
  }

  /** Notes a failed attempt. While the webhook is FAILING, it costs the delivery none of its attempts. */
  async #fail(move: Move, webhook: Webhook, { status, retryAfter: header }: Attempt, now: string): Promise<void> {
    const { store, clock, done } = this.#run
    const { before, after } = move
    done.failed++
    const pause = retryAfter(header, clock()) ?? 0
    const failures = before.failures + (isFailing(this.#health) ? 0 : 1)
    const wait = waitAfter(Math.max(1, failures), Math.random())
    this.#become(afterFailure(this.#health, now, pause), webhook)
    if (wait === undefined) await end(store, this.#id, [move], 'FAILED', now)
    else {
      const next_attempt_at = momentAfter(now, Math.max(wait, pause))
      await store.write(opening(this.#id, before, { ...after, failures, next_attempt_at }, now), 'aside')
    }
    if (status === GONE || isGivenUp(this.#health, now)) await this.#disable(webhook)
  }

  /**
   * Writes how the receiver of an attempt does, if that has changed; not if the webhook has another one by now. The writes follow
   * each other, so the last one stays.
   */
  #become(health: Health, webhook: Webhook): void {
    const { store } = this.#run
    if (!this.#webhook || !isSameReceiver(this.#webhook, webhook)) return
    const isSame = JSON.stringify(health) === JSON.stringify(this.#health)
    this.#health = health
    if (isSame) return
    const write = [{ put: healthItem(webhook, health) }, { check: keys.webhookKey(this.#id), if: exists }]
    this.#saving = this.#saving.then(() => happened(store.write(write, 'aside')))
    this.#saving.catch(() => {})
  }

  /** Disables the webhook, if it still has the receiver of the attempt. */
  async #disable(webhook: Webhook): Promise<void> {
    const { store, clock, done } = this.#run
    await decideAgain(async () => {
      const before = await webhooks.read(store, this.#id)
      if (!before?.enabled || !isSameReceiver(before, webhook)) return
      const after = { ...before, enabled: false, mustSweep: true, updated_at: clock().toISOString() }
      await store.write([webhooks.replace(before, after), ...countWebhook(before, after)])
      done.disabled++
    })
    this.#news.hasNews = true
  }
}

/** The answer of a receiver that wants nothing any more. */
const GONE = 410

const placeOf = ({ list, id }: Listed): string => `${list}#${id}`

/** Both lists in turn: neither waits until the other one is done. */
const interleaved = <T>(one: readonly T[], other: readonly T[]): T[] =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, n) => [one[n], other[n]])
    .flat()
    .filter((item): item is T => item !== undefined)
