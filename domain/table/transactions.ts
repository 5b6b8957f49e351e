import { keyOf } from './actions.ts'
import { every } from './expressions.ts'
import { textOfKey } from './items.ts'
import type { Action } from './store.ts'

// What fits into one transaction. Others do not know the limits of DynamoDB: they ask how much room there is.

/** DynamoDB's limit. */
export const MOST_ACTIONS = 100

/** For the entry of the outbox. It is kept free whether a webhook is enabled or not, so that what fits does not depend on that. */
export const OUTBOX_PLACES = 1

/** How much of a transaction actions take: one each, one for each event, and one for the entry of the outbox that names the events. */
export function sizeOfTransaction(actions: readonly Action[]): number {
  const events = actions.filter(({ event }) => event).length
  return actions.length + events + (events > 0 ? OUTBOX_PLACES : 0)
}

/** How many further actions without events fit into a transaction. Negative if these are too many. */
export const roomBeside = (actions: readonly Action[]): number => MOST_ACTIONS - sizeOfTransaction(actions)

/** Whether actions fit into one transaction. */
export const fits = (actions: readonly Action[]): boolean => roomBeside(actions) >= 0

/** Throws if actions do not fit into one transaction: the program has to ask before, so this is a fault of the program. */
export function requireRoom(actions: readonly Action[]): void {
  if (!fits(actions))
    throw new Error(`A transaction has ${MOST_ACTIONS} places, and these actions take ${sizeOfTransaction(actions)}`)
}

/**
 * Makes one action of all that count in the same item: a transaction may name an item only once. Undefined if one of
 * several actions on an item does more than count.
 */
export function mergeCounts(actions: readonly Action[]): Action[] | undefined {
  const byItem = new Map<string, Action>()
  for (const action of actions) {
    const name = textOfKey(keyOf(action))
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
