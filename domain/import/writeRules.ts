import { AppError, StaleRead } from '../base/errors.ts'
import { decideAgain } from '../base/retry.ts'
import { attributesIn } from '../people/rules/matching.ts'
import { readRules, rules } from '../people/rules/rule.ts'
import { ruleChange } from '../people/rules/ruleWrites.ts'
import { textOfKey } from '../table/items.ts'
import { SHARDS } from '../table/keys.ts'
import type { Draft, DraftedRule } from './draft.ts'
import { requireTime } from './importContext.ts'
import { retryBusy } from './importRetries.ts'

/**
 * Writes the rules of a file, before its users: these are then written with what the rules give them. Stored users get it by
 * noted work. Throws StaleRead if others have changed one of the rules, or what it needs, since the draft.
 */
export async function writeRules(draft: Draft): Promise<void> {
  for (const [nth, drafted] of draft.rules.entries()) {
    requireTime(draft.context)
    const write = () => retryBusy(() => writeRule(draft, drafted, nth % SHARDS))
    const isWritten = await decideAgain(write).catch(unlessRefused)
    if (!isWritten) throw new StaleRead()
    draft.written.set(textOfKey(rules.key(drafted.after.id)), drafted.outcome)
  }
}

/** Writes one rule; returns false if it is not stored as it was when it was drafted. */
async function writeRule(
  { context, structure }: Draft,
  { before, after }: DraftedRule,
  shard: number,
): Promise<boolean> {
  const { store, now } = context
  const { predefined } = structure.organisation
  const stored = await readRules(store)
  if (stored.rules.find(({ id }) => id === after.id)?.version !== before?.version) return false
  const editions = new Map(
    attributesIn(after.conditions).map((name) => [name, structure.definitions.get(name)?.edition]),
  )
  await store.write(ruleChange({ before, after }, { now, shard, predefined, stored, editions }))
  return true
}

/** Others have used up a limit, taken the id, or changed what the rule needs: the next draft finds the fault. */
function unlessRefused(error: unknown): false {
  if (error instanceof AppError && outdated.has(error.code)) return false
  throw error
}
const outdated: ReadonlySet<string> = new Set(['RULES_LIMIT_EXCEEDED', 'DUPLICATE_ID', 'CONCURRENT_MODIFICATION'])
