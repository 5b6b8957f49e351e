import { StaleRead } from '../../base/errors.ts'
import type { Context } from '../../request/context.ts'
import { every, lacks } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import { type Action, isAt, keyOf, refusalOf } from '../../table/store.ts'
import { countsMove } from '../records/userCounts.ts'
import { noteSettling } from './settle.ts'

/**
 * Writes a change of a user. If the changes of roles did not fit into the transaction, the answer gets the header `x-rules-pending`.
 * It is only set after the write: if this attempt is stale, those of the next one may fit. A user who moves to another list
 * while a walk applies rules may be missed by it: then it is noted, too, that the user must be settled.
 */
export async function writeSettled(
  { store, now, noteRulesPending }: Pick<Context, 'store' | 'now' | 'noteRulesPending'>,
  actions: readonly Action[],
  user: string,
): Promise<void> {
  const isNoted = actions.some((action) => isAt(keys.workKey('settle', user))(keyOf(action)))
  const written = await store.write(isNoted ? actions : actions.map(unlessWalked)).then(
    () => isNoted,
    async (error: unknown) => {
      if (!(error instanceof WalkUnderWay)) throw error
      await store.write([...actions, noteSettling(user, now)])
      return true
    },
  )
  if (written) noteRulesPending()
}

/** A walk is applying rules to all users, and may have passed the list that a user moves to. */
class WalkUnderWay extends StaleRead {
  override name = 'WalkUnderWay'
}

/** Adds a condition to an action that counts a move: no walk is under way. It costs nothing, as the shard is written anyway. */
const unlessWalked = (action: Action): Action =>
  countsMove(action)
    ? {
        ...action,
        if: action.if ? every(action.if, lacks(keys.RULES_ROUND)) : lacks(keys.RULES_ROUND),
        otherwise: (found) =>
          found?.[keys.RULES_ROUND] === undefined ? refusalOf(action.otherwise, found) : new WalkUnderWay(),
      }
    : action
