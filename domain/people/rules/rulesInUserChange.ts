import { StaleRead } from '../../base/errors.ts'
import type { Context } from '../../request/context.ts'
import { keyOf, refusalOf } from '../../table/actions.ts'
import { every, lacks } from '../../table/expressions.ts'
import { isAt } from '../../table/items.ts'
import * as keys from '../../table/keys.ts'
import type { Action } from '../../table/store.ts'
import { mergeCounts, roomBeside } from '../../table/transactions.ts'
import { noteOnce, workEntry } from '../../table/work.ts'
import type { Counting } from '../records/heldRoles.ts'
import type { UserRecord } from '../records/user.ts'
import { countsMove } from '../records/userCounters.ts'
import { type HeldRoles, requireRules, roleChangeActions, roleChangesOf } from './roleChanges.ts'
import { type RuleSet, rulesFor } from './ruleSet.ts'

// Applies rules to a user in the transaction of a change of that user. docs/decisions/rules.md proves that this holds while rules change.

/** The context that rules are read with. */
export type Reader = Pick<Context, 'store' | 'organisation' | 'fromMemory'>

/** What the creation of a user needs to know of rules; undefined if the organisation has none. */
export async function rulesForNewUser(context: Reader): Promise<RulesForUser | undefined> {
  const rules = await rulesFor(context)
  return rules && { rules, held: new Map(), predefined: (await context.organisation()).predefined }
}

/** What a change of a user needs to know of rules. Without `held`, the change does not change what rules give. */
export type RulesForUser = { rules: RuleSet; held?: HeldRoles; predefined: Counting['predefined'] }

/**
 * Adds to the actions of a change what rules give and take by it; `actions` write the user. If this does not fit into the
 * transaction, it is noted there as work instead: see `writeUserChange`. `leftAlone` grants are left alone: other actions of the same
 * transaction write them.
 */
export function withRules(
  actions: readonly Action[],
  user: UserRecord,
  { rules, held, predefined }: RulesForUser,
  { now, shard, leftAlone = [] }: { now: string; shard: number; leftAlone?: readonly string[] },
): Action[] {
  const counting = { predefined, shard }
  // What deleted rules gave is left to the walk, which knows all rules: another one may give it by now.
  const grants = [...rules.matchers.keys()].filter((grant) => !leftAlone.includes(grant))
  // What the primary group hides is decided when another group becomes the primary one.
  const roleChanges = held
    ? roleChangesOf(rules, user, held, grants).filter(({ isHiddenByPrimary }) => !isHiddenByPrimary)
    : []
  const withRoles = mergeCounts([
    ...actions,
    ...roleChanges.flatMap((one) => roleChangeActions(rules, user, one, counting)),
  ])
  const whole = withRoles && requireRules(rules, shard, withRoles)
  // A move may have to note one more entry: see `writeUserChange`.
  const spare = SPARE + (actions.some(countsMove) ? 1 : 0)
  if (whole && roomBeside(whole) >= spare) return whole
  const noted = [...actions, rulesNoteForUser(user.id, now)]
  // If the rules are old, the change is decided again, and may fit by the present ones. The entry is right without this check,
  // too, so the check is left out if there is no room for it.
  const checked = requireRules(rules, shard, noted)
  return roomBeside(checked) >= SPARE ? checked : noted
}

/**
 * Actions for which room is kept: a change of a name adds an entry, a creation the Idempotency-Key, and a plan the outcome of its change
 * and the check of a group.
 */
const SPARE = 3

/** The action that notes: the rules have to be applied to a user. A worker does it within seconds. */
const rulesNoteForUser = (user: string, now: string): Action =>
  noteOnce(workEntry('settle', user, {}, now, { taker: 'STREAM' }))

/**
 * Writes a change of a user. If the changes of roles did not fit into the transaction, the answer gets the header `x-rules-pending`.
 * It is only set after the write: if this attempt is stale, those of the next one may fit. A user who moves to another list
 * while a walk applies rules may be missed by it: then it is noted, too, that the rules have to be applied to the user.
 */
export async function writeUserChange(
  { store, now, noteRulesPending }: Pick<Context, 'store' | 'now' | 'noteRulesPending'>,
  actions: readonly Action[],
  user: string,
): Promise<void> {
  const isNoted = actions.some((action) => isAt(keys.workKey('settle', user))(keyOf(action)))
  const written = await store.write(isNoted ? actions : actions.map(unlessWalked)).then(
    () => isNoted,
    async (error: unknown) => {
      if (!(error instanceof WalkUnderWay)) throw error
      await store.write([...actions, rulesNoteForUser(user, now)])
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
