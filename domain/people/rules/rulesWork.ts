import { momentAfter } from '../../base/text.ts'
import { CAUSE } from '../../table/actions.ts'
import * as keys from '../../table/keys.ts'
import { readWork } from '../../table/readWork.ts'
import type { Action, Store } from '../../table/store.ts'
import { endOfWorkLease } from '../../table/work.ts'
import type { Entry } from '../../table/workKinds.ts'
import type { Rule, StoredRules } from './rule.ts'
import { grantOf } from './ruleSet.ts'

// The noted work that applies changes of rules to all users: how it is noted and read, and what answers show of it.

/**
 * How long the first rule waits before it is applied. A process remembers for 5 seconds that there are no rules, and a call
 * takes up to 29. Work that takes longer reads the settings again every 5 seconds.
 */
const FIRST_WAITS_MS = 50_000

/** `requestId`: of the call that applies the rules that it changes; without one, a worker applies them. */
export type NotedBy = { now: string; stored: Pick<StoredRules, 'edition'>; requestId?: string }

/** The action that notes: rules are to be applied to all users. The same transaction raises the edition. */
export function rulesNote(changed: readonly Rule[], { now, stored, requestId }: NotedBy, isFirst = false): Action {
  const kind: Entry<'rules'>['kind'] = 'rules'
  const { edition } = stored
  const pending = changed.map(({ id, user_group_id: group, role_id: role }) => pendingOf({ id, group, role, edition }))
  const from = momentAfter(now, FIRST_WAITS_MS)
  return {
    update: rulesWorkKey,
    set: {
      kind,
      ...Object.fromEntries(pending.map((one) => [causeIn(one), CAUSE])),
      ...(isFirst ? { from, due: from, taker: 'CALL' } : {}),
    },
    setOnce: isFirst
      ? {}
      : { due: endOfWorkLease(now), ...(requestId ? { taker: 'CALL', holder: requestId } : { taker: 'STREAM' }) },
    add: { pending: new Set(pending), changes: 1 },
  }
}

export const rulesWorkKey = keys.workKey('rules', 'all')

/** The work that applies rules, as it is now; undefined if all rules are applied. */
export const readRulesWork = (store: Pick<Store, 'get'>): Promise<Entry<'rules'> | undefined> =>
  readWork(store, 'rules', 'all')

/** A change that is noted. `edition`, as read before the change, tells several changes of one rule from each other. */
type Pending = { id: string; group: string; role: string; edition: number }
const pendingOf = ({ id, group, role, edition }: Pending): string => [id, group, role, edition].join('#')
/** The attribute of the entry that holds the cause of a change. Events of roles that the change gives or takes name this cause. */
export const causeIn = (pending: string): string => `cause:${pending}`

/** The rule and the grant that a noted change is about. */
export function partsOfPending(pending: string): { id: string; grant: string; edition: number } {
  const [id = '', group = '', role = '', edition] = pending.split('#')
  return { id, grant: grantOf(group, role), edition: Number(edition) }
}

/** What answers show of this work. */
export type Applying = Pick<Entry<'rules'>, 'pending' | 'round'>

/** Whether a change of a rule is still being applied. */
export const isBeingApplied = ({ id }: Pick<Rule, 'id'>, applying: Applying | undefined): boolean =>
  [...(applying?.pending ?? [])].some((one) => partsOfPending(one).id === id)

/** `state` and `progress` of a rule: READY once it is applied to all users. */
export function ruleState(rule: Pick<Rule, 'id' | 'deleting'>, applying: Applying | undefined) {
  if (!rule.deleting && !isBeingApplied(rule, applying)) return { state: 'READY' as const, progress: null }
  const { seen = 0, counted = 0 } = applying?.round ?? {}
  const state = rule.deleting ? ('DELETING' as const) : ('APPLYING' as const)
  return { state, progress: { done: Math.min(seen, counted), total: counted } }
}
