import { a, declareFields, everywhere, type RecordOf } from '../../table/fields.ts'
import { isAt } from '../../table/items.ts'
import * as keys from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { defineItem, defineRecord } from '../../table/records.ts'
import type { Store } from '../../table/store.ts'
import type { RuleCondition } from './matching.ts'

export const ruleFields = declareFields({
  id: { type: a<string>() },
  title: { type: a<string>(), set: 'ALWAYS' },
  /** Group and role of a rule never change. Answers show references to them. */
  user_group_id: { type: a<string>(), set: 'ONCE', hidden: ['ANSWERS'] },
  role_id: { type: a<string>(), set: 'ONCE', hidden: ['ANSWERS'] },
  match: { type: a<'ALL' | 'ANY'>(), set: 'ALWAYS', default: 'ALL' },
  conditions: { type: a<RuleCondition[]>(), set: 'ALWAYS' },
  except_user_ids: { type: a<string[]>(), set: 'ALWAYS', default: [] },
  enabled: { type: a<boolean>(), set: 'ALWAYS', default: true },
  /**
   * Deleted, but users may still hold its role by it. It is disabled, too: functions of a release before, which do not know this
   * field, give nothing by it.
   */
  deleting: { type: a<true>(), optional: true, hidden: ['ANSWERS', 'EVENTS'] },
  created_at: { type: a<string>() },
  updated_at: { type: a<string>() },
  /** The last editor, on whose behalf the rule gives its role. */
  updated_by: { type: a<string | null>(), hidden: ['EVENTS', 'ETAG'] },
  /** Counts changes. */
  version: { type: a<number>(), initial: 1, hidden: everywhere },
})

/** A rule as it is stored: users who match it hold its role in its group while it is enabled. */
export type Rule = RecordOf<typeof ruleFields>

export const rules = defineRecord<Rule>({
  key: keys.ruleKey,
  fields: ruleFields,
  idOf: ({ id }) => [id],
  versioned: true,
  events: { kind: 'user_group_rule' },
})

/** The size of a rule in bytes, as the limits count it. */
export const bytesOfRule = (rule: Rule): number => Buffer.byteLength(JSON.stringify(rule))

/** The limits of an organisation: numbers of rules, and bytes of one rule and of all. */
export const ruleLimits = { rules: 200, rulesOfGroup: 20, bytesOfRule: 16_384, bytes: 524_288 }

/** How often rules have changed, how many there are, and how many bytes all of them take. */
type RuleTotals = { edition: number; count: number; bytes: number }
export const ruleTotals = defineItem<RuleTotals>()

/** All rules. They include every change up to this edition. */
export type StoredRules = RuleTotals & { rules: Rule[] }

/** Reads all rules as they are now. */
export async function readRules(store: Pick<Store, 'query'>): Promise<StoredRules> {
  const items = await all(store, keys.wholeRules)
  const head = items.find(isAt(keys.ruleEditionKey))
  const { edition, count, bytes } = head ? ruleTotals.of(head) : { edition: 0, count: 0, bytes: 0 }
  return { edition, count, bytes, rules: items.flatMap((item) => rules.of(item) ?? []) }
}
