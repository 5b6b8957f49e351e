import { compareBytes, DAY_MS, dayOf, momentAfter } from '../base/text.ts'
import { announcedOf } from '../events/event.ts'
import { succeeded } from '../table/actions.ts'
import { is } from '../table/expressions.ts'
import { endOf, keyIn } from '../table/items.ts'
import * as keys from '../table/keys.ts'
import { merge } from '../table/merge.ts'
import { defineItem } from '../table/records.ts'
import type { Item, WorkStore } from '../table/store.ts'
import { restartActions } from './delivery.ts'
import { isWanted, webhooks } from './webhook.ts'

/** A replay that is under way: the events from the sort key `at` until `to` have yet to be delivered again. */
export type Replay = { at: string; to: string; generation: number }

const rows = defineItem<Replay>()
export const replayItem = (webhook: string, replay: Replay): Item => rows.item(keys.replayKey(webhook), replay)

/** Events of a replay that wait at the same time: few, so that new events do not wait behind them. */
const EVENTS_AT_ONCE = 50

/** The replay of a webhook, if one is under way. */
export async function readReplay(store: Pick<WorkStore, 'get'>, webhook: string): Promise<Replay | undefined> {
  const item = await store.get(keys.replayKey(webhook))
  return item && rows.of(item)
}

/**
 * Makes deliveries of the next events of a replay, oldest first. False if none is under way. Dying in between makes some of them
 * once more. A webhook that was disabled may have a new replay by now: this one must not replace it.
 */
export async function goOnWithReplay(store: WorkStore, id: string, now: string): Promise<boolean> {
  const [webhook, replay] = await Promise.all([webhooks.read(store, id), readReplay(store, id)])
  if (!webhook || !replay) return false
  const { at, to, generation } = replay
  const isOver = !webhook.enabled || generation !== webhook.generation || at > to
  const { events, next } = isOver ? over : await eventsFrom(store, at, to)
  const wanted = events.filter(({ type }) => isWanted(webhook, type))
  const made = await Promise.all(wanted.map((event) => restartActions(store, webhook, event, now)))
  await store.bulk(made.flat())
  const change = next ? { put: replayItem(id, { ...replay, at: next }) } : { delete: keys.replayKey(id) }
  await succeeded(store.write([{ ...change, if: is({ at, to, generation }) }], 'housekeeping'))
  return true
}
const over = { events: [], next: undefined }

/** The next events of a day from a sort key on, and the sort key to go on from. */
async function eventsFrom(store: WorkStore, at: string, to: string) {
  const day = dayOf(at)
  const lists = keys.eventsOn(day).map((range) => [{ ...range, from: at, to }])
  const compare = (a: Item, b: Item): number => compareBytes(a.sk, b.sk)
  const { value: some = [] } = await merge(store, { lists, compare, likely: EVENTS_AT_ONCE, more: 1 }).next()
  const found = await Promise.all(some.map((row: Item) => store.get(keyIn(row))))
  const events = found.flatMap((item) => (item ? [announcedOf(item)] : []))
  const last = some.at(-1)?.sk
  const isMore = some.length === EVENTS_AT_ONCE && last !== undefined
  return { events, next: isMore ? endOf(last) : momentAfter(`${day}T00:00:00.000Z`, DAY_MS) }
}
