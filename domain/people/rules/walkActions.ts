import { amendRecord } from '../../table/changes.ts'
import { is } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import type { Action } from '../../table/store.ts'
import { type UserRecord, users } from '../records/user.ts'
import { type RoleChange, staleRules } from './roleChanges.ts'
import type { RuleSet } from './ruleSet.ts'

// What is written with the role changes of a user after a change of rules: no call writes the user then.

/**
 * Raises the version of the user whose roles change: so the write fails if the user was changed since they were read. If the
 * rule gave a membership in the primary group, `primary_was` is cleared: nothing is left of it when the primary group changes.
 */
export function bumpVersionForRoles(user: UserRecord, roleChanges: readonly RoleChange[]): Action {
  const forgets = roleChanges.some(({ isHiddenByPrimary }) => isHiddenByPrimary) ? { primary_was: null } : {}
  return amendRecord(users, user, { version: user.version + 1, ...forgets }, { expected: { version: user.version } })
}

/**
 * Adds a condition to a transaction of a walk: no rule has changed since these rules were read. A newer rule may give the role that
 * the walk is about to take. Includes the condition of `requireRules`, as no shard requires more than the present edition. Changes
 * of users do not use it: all of them would wait for one item.
 */
export const requirePresentRules = (rules: RuleSet, actions: readonly Action[]): Action[] => [
  ...actions,
  { check: keys.ruleEditionKey, if: is({ edition: rules.edition || undefined }), otherwise: staleRules(rules) },
]
