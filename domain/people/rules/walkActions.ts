import { amendRecord } from '../../table/changes.ts'
import { is } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import type { Action } from '../../table/store.ts'
import { type UserRecord, users } from '../records/user.ts'
import type { RuleSet } from './ruleSet.ts'
import { type RoleChange, stale } from './settle.ts'

// What a walk over all users writes with the roles of a user: calls write the user themselves.

/**
 * Writes the user whose roles change. Their version goes up, so that the write fails if the user was changed since they were read. If the
 * rule gave a membership in the primary group, `primary_was` is cleared: nothing is left of it when the primary group changes.
 */
export function settledUser(user: UserRecord, roleChanges: readonly RoleChange[]): Action {
  const forgets = roleChanges.some(({ behind }) => behind) ? { primary_was: null } : {}
  return amendRecord(users, user, { version: user.version + 1, ...forgets }, { expected: { version: user.version } })
}

/**
 * Adds a condition to a transaction of a walk: no rule has changed since these rules were read. A newer rule may give the role that
 * the walk is about to take. Includes the condition of `requireRules`, as no mark is above the edition. Changes of users do not use it: all
 * of them would wait for one item.
 */
export const requirePresentRules = (rules: RuleSet, actions: readonly Action[]): Action[] => [
  ...actions,
  { check: keys.ruleEditionKey, if: is({ edition: rules.edition || undefined }), otherwise: stale(rules) },
]
