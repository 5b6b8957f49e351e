import { every } from './expressions.ts'
import { type Action, keyOf, nameOf } from './store.ts'

// What fits into one transaction. Only this file knows the limits of DynamoDB: others ask how much room there is.

/** DynamoDB's limit. */
const MOST_ACTIONS = 100
/** DynamoDB takes 4 MB. */
const MOST_BYTES = 3_500_000

/** For the entry of the outbox. It is kept free whether a webhook is enabled or not, so that what fits does not depend on that. */
const OUTBOX = 1

/** How much of a transaction actions take: one each, one for each event, and one for the entry of the outbox that names the events. */
function sizeOfTransaction(actions: readonly Action[]): number {
  const events = actions.filter(({ event }) => event).length
  return actions.length + events + (events > 0 ? OUTBOX : 0)
}

/** How many further actions without events fit into a transaction. Negative if these are too many. */
export const roomBeside = (actions: readonly Action[]): number => MOST_ACTIONS - sizeOfTransaction(actions)

/** Whether actions fit into one transaction. */
export const fits = (actions: readonly Action[]): boolean => roomBeside(actions) >= 0

/**
 * How many items fit into one transaction, where `each` is how many actions and events one item takes, and `besides` how many
 * there are besides the items.
 */
export const mostThatFit = ({
  each,
  besides,
  hasEvents,
}: {
  each: number
  besides: number
  hasEvents: boolean
}): number => Math.floor((MOST_ACTIONS - besides - (hasEvents ? OUTBOX : 0)) / each)

/** Throws if actions do not fit into one transaction: the program has to ask before, so this is a fault of the program. */
export function requireRoom(actions: readonly Action[]): void {
  if (!fits(actions))
    throw new Error(`A transaction has ${MOST_ACTIONS} places, and these actions take ${sizeOfTransaction(actions)}`)
}

/**
 * About how many bytes an action adds to a transaction. A condition may hold the record as it was read, so a record is counted
 * twice in a put with a condition. DynamoDB counts what a deletion removes, too, and the hint of a list holds the record again: so a
 * deletion counts its event four times.
 */
function bytesOf(action: Action): number {
  const event = action.event ? sizeOf(action.event) : 0
  if ('put' in action) return sizeOf(action.put) * (action.if ? 2 : 1) + event
  return 500 + event * ('delete' in action ? 4 : 1)
}

const sizeOf = (value: object): number => Buffer.byteLength(JSON.stringify(value))

/** How full to pack: at most `most` actions, and `spare` fewer, as the caller adds some. */
type Filling = { most?: number | undefined; spare?: number }

/**
 * Packs items of work into transactions, in order. Each transaction has as many whole items as fit, their events included.
 * Counts of several items in one record become one action. `actionsOf` gets the number of the transaction, to choose a shard.
 */
export function* pack<T>(
  all: Iterable<T>,
  actionsOf: (item: T, transaction: number) => readonly Action[],
  { most = MOST_ACTIONS, spare = 0 }: Filling = {},
): Generator<{ items: T[]; actions: Action[] }> {
  const room = Math.min(most, MOST_ACTIONS) - spare
  let batch: { items: T[]; actions: Action[] } = { items: [], actions: [] }
  let [bytes, nth] = [0, 0]
  for (const item of all) {
    let own = actionsOf(item, nth)
    const size = own.reduce((sum, action) => sum + bytesOf(action), 0)
    const combined = mergeCounts([...batch.actions, ...own])
    if (combined && sizeOfTransaction(combined) <= room && bytes + size <= MOST_BYTES) {
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
    property: first.property ?? second.property,
  }
  const key = keyOf(first)
  return Object.keys(add).length > 0 ? { update: key, add, ...expected } : { check: key, ...expected }
}

function sums(one: Readonly<Record<string, unknown>> = {}, other: Readonly<Record<string, unknown>> = {}) {
  const sum: Record<string, number> = {}
  for (const [name, by] of [...Object.entries(one), ...Object.entries(other)]) sum[name] = (sum[name] ?? 0) + Number(by)
  return sum
}
