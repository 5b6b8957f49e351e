import * as keys from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { defineRecord, defineRow } from '../../table/records.ts'
import { isAt, type Store } from '../../table/store.ts'
import type { RuleCondition } from './matching.ts'

/** A rule as it is stored: users who match it hold its role in its group while it is enabled. */
export type Rule = {
  id: string
  title: string
  /** Group and role of a rule never change. */
  user_group_id: string
  role_id: string
  match: 'ALL' | 'ANY'
  conditions: RuleCondition[]
  except_user_ids: string[]
  enabled: boolean
  /**
   * Deleted, but users may still hold its role by it. It is disabled, too: functions of a release before, which do not know this
   * field, give nothing by it.
   */
  deleting?: true
  created_at: string
  updated_at: string
  /** The last editor, on whose behalf the rule gives its role. */
  updated_by: string | null
  /** Counts changes. */
  version: number
}

export const rules = defineRecord<Rule>({
  key: keys.ruleKey,
  idOf: ({ id }) => [id],
  versioned: true,
  events: { kind: 'user_group_rule', hidden: ['updated_by', 'deleting'] },
})

/** The own fields of a rule, which make its version. */
export const ownOfRule = ({ version: _version, updated_by: _by, ...own }: Rule) => own

/** The size of a rule in bytes, as the limits count it. */
export const bytesOfRule = (rule: Rule): number => Buffer.byteLength(JSON.stringify(rule))

/** The limits of an organisation: numbers of rules, and bytes of one rule and of all. */
export const ruleLimits = { rules: 200, rulesOfGroup: 20, bytesOfRule: 16_384, bytes: 524_288 }

/** How often rules have changed, how many there are, and how many bytes all of them take. */
type RuleTotals = { edition: number; count: number; bytes: number }
export const ruleTotals = defineRow<RuleTotals>()

/** All rules. They include every change up to this edition. */
export type StoredRules = RuleTotals & { rules: Rule[] }

/** Reads all rules as they are now. */
export async function readRules(store: Pick<Store, 'query'>): Promise<StoredRules> {
  const items = await all(store, keys.wholeRules)
  const head = items.find(isAt(keys.ruleEditionKey))
  const { edition, count, bytes } = head ? ruleTotals.of(head) : { edition: 0, count: 0, bytes: 0 }
  return { edition, count, bytes, rules: items.flatMap((item) => rules.of(item) ?? []) }
}
