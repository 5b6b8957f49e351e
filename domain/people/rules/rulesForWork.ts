import type { Work } from '../../work/steps.ts'
import { readOrganisation } from '../records/organisation.ts'
import { type RuleSet, readRuleSet } from './ruleSet.ts'

/** How long noted work uses settings before it reads them again. */
const WORK_REMEMBERS_MS = 5_000

/**
 * The rules for noted work, which may take longer than a call: the returned function reads the settings again every 5 seconds,
 * and the rules once they are outdated.
 */
export function rulesForWork({ store, clock }: Pick<Work, 'store' | 'clock'>): () => Promise<RuleSet | undefined> {
  let last: { at: number; rules: RuleSet | undefined } | undefined
  return async () => {
    const at = clock().getTime()
    if (last && at - last.at < WORK_REMEMBERS_MS) return last.rules
    const { has_rules } = await readOrganisation(store)
    const forget = (): void => {
      last = undefined
    }
    last = { at, rules: has_rules ? (last?.rules ?? (await readRuleSet(store, forget))) : undefined }
    return last.rules
  }
}
