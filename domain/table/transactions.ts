import { countWithEvents } from './events.ts'
import { every } from './expressions.ts'
import { type Action, keyOf, nameOf } from './store.ts'

/** The most actions of one transaction: DynamoDB's limit. */
export const MOST_ACTIONS = 100
/** The most actions and events of one with events: the store may add an entry of the outbox. */
export const MOST_WITH_EVENTS = MOST_ACTIONS - 1
/** DynamoDB takes 4 MB. */
const MOST_BYTES = 3_500_000

/** About how many bytes an action adds to a transaction. A condition may hold the record as it was read: twice the size. */
const bytesOf = (action: Action): number =>
  ('put' in action ? Buffer.byteLength(JSON.stringify(action.put)) * (action.if ? 2 : 1) : 500) +
  (action.event ? Buffer.byteLength(JSON.stringify(action.event)) : 0)

/**
 * Packs items of work into transactions, in order. Each transaction has as many whole items as fit, their events included.
 * Counts of several items in one record become one action. `actionsOf` gets the number of the transaction, to choose a shard.
 * `most` leaves room for actions that the caller adds to each transaction.
 */
export function* pack<T>(
  all: Iterable<T>,
  actionsOf: (item: T, transaction: number) => readonly Action[],
  most = MOST_ACTIONS,
): Generator<{ items: T[]; actions: Action[] }> {
  let batch: { items: T[]; actions: Action[] } = { items: [], actions: [] }
  let [bytes, nth] = [0, 0]
  for (const item of all) {
    let own = actionsOf(item, nth)
    const size = own.reduce((sum, action) => sum + bytesOf(action), 0)
    const combined = mergeCounts([...batch.actions, ...own])
    if (combined && countWithEvents(combined) <= most && bytes + size <= MOST_BYTES) {
      batch = { items: [...batch.items, item], actions: combined }
      bytes += size
    } else {
      if (batch.items.length > 0) {
        yield batch
        own = actionsOf(item, ++nth)
      }
      batch = { items: [item], actions: mergeCounts(own) ?? [...own] }
      bytes = size
    }
  }
  if (batch.items.length > 0) yield batch
}

/**
 * Makes one action of all that count in the same item: a transaction may name an item only once. Undefined if one of
 * several actions on an item does more than count.
 */
export function mergeCounts(actions: readonly Action[]): Action[] | undefined {
  const byItem = new Map<string, Action>()
  for (const action of actions) {
    const name = nameOf(keyOf(action))
    const earlier = byItem.get(name)
    const merged = earlier ? mergeInto(earlier, action) : action
    if (!merged) return undefined
    byItem.set(name, merged)
  }
  return [...byItem.values()]
}

/** Whether an action only counts or checks, and has no event. */
const isCount = (action: Action): boolean =>
  !action.event && ('check' in action || ('update' in action && !action.set && !action.setOnce && !action.clear))

/** Undefined if one of the two does more than count or check. */
function mergeInto(first: Action, second: Action): Action | undefined {
  if (!isCount(first) || !isCount(second)) return undefined
  const add = sums('add' in first ? first.add : {}, 'add' in second ? second.add : {})
  const expected = {
    if: first.if && second.if ? every(first.if, second.if) : (first.if ?? second.if),
    otherwise: first.otherwise ?? second.otherwise,
    about: first.about ?? second.about,
  }
  const key = keyOf(first)
  return Object.keys(add).length > 0 ? { update: key, add, ...expected } : { check: key, ...expected }
}

function sums(one: Readonly<Record<string, unknown>> = {}, other: Readonly<Record<string, unknown>> = {}) {
  const sum: Record<string, number> = {}
  for (const [name, by] of [...Object.entries(one), ...Object.entries(other)]) sum[name] = (sum[name] ?? 0) + Number(by)
  return sum
}
