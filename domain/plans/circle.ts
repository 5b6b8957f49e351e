import { StaleRead } from '../base/errors.ts'
import { readUser, type UserRecord } from '../people/records/user.ts'
import type { Context } from '../request/context.ts'
import { keyOf } from '../table/actions.ts'
import { textOfKey } from '../table/items.ts'
import type { Action, Store } from '../table/store.ts'
import { fits, mergeCounts, roomBeside } from '../table/transactions.ts'
import type { PlannedChange, StoredChange } from './change.ts'
import type { Plan } from './plan.ts'
import { runChange } from './runChange.ts'
import { refusalIn } from './verdict.ts'

// Users whose names go round in a circle: each takes the name of another one, so all are changed in one transaction. It is made of
// the transactions of the single calls.

/** The changes of a circle are more than one transaction can hold. */
export class CircleTooLarge extends Error {
  override name = 'CircleTooLarge'
}

/** Ends an operation that has said what it would write. */
class Gathered extends Error {
  override name = 'Gathered'
}

/** Each member takes four places at least. */
const MOST_MEMBERS = 20

export type Member = { user: UserRecord; change: Pick<StoredChange, 'action' | 'fields' | 'order'> }

/**
 * The actions that make the changes of a circle, with room for an outcome of each. Throws CircleTooLarge, and what the operations
 * refuse.
 */
export async function circleActions(
  context: Context,
  members: readonly Member[],
  plan: Pick<Plan, 'kind'>,
): Promise<Action[]> {
  if (members.length > MOST_MEMBERS) throw new CircleTooLarge()
  const gathered = await Promise.all(members.map(({ user, change }) => actionsOf(context, user, change, plan)))
  const actions = mergeCounts(movedNames(gathered.flat()))
  if (!actions || !fits(actions) || roomBeside(actions) < members.length) throw new CircleTooLarge()
  return actions
}

/** What an operation would write. */
async function actionsOf(
  context: Context,
  user: UserRecord,
  change: Member['change'],
  plan: Pick<Plan, 'kind'>,
): Promise<Action[]> {
  const found: Action[] = []
  const write: Store['write'] = async (actions) => {
    found.push(...actions)
    throw new Gathered()
  }
  await runChange({ ...context, store: { ...context.store, write } }, user, change, plan).catch((error: unknown) => {
    if (!(error instanceof Gathered)) throw error
  })
  return found
}

/** A name that one user gives up and another takes moves in one action: it must belong to the first until then. */
function movedNames(actions: readonly Action[]): Action[] {
  const byItem = Map.groupBy(actions, (action) => textOfKey(keyOf(action)))
  return [...byItem.values()].flatMap((some) => {
    const [taken, given] = [some.find((one) => 'put' in one), some.find((one) => 'delete' in one)]
    return some.length === 2 && taken && given ? [{ put: taken.put, if: given.if }] : some
  })
}

/** Whether a circle fits into one transaction, as its users are now. What the operations would refuse is found when it is made. */
export async function circleFits(
  context: Context,
  changes: readonly (PlannedChange & { user: string })[],
): Promise<boolean> {
  const users = await Promise.all(changes.map(({ user }) => readUser(context.store, user, context.now)))
  const members = changes.flatMap((change, n) => {
    const user = users[n]
    return user ? [{ user, change }] : []
  })
  try {
    await circleActions(context, members, { kind: 'FILE' })
    return true
  } catch (error) {
    if (error instanceof CircleTooLarge) return false
    if (error instanceof StaleRead || refusalIn(error)) return true
    throw error
  }
}
