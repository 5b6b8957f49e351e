import { chunksOf } from '../../base/parallel.ts'
import { decideAgain } from '../../base/retry.ts'
import * as keys from '../../table/keys.ts'
import type { Store } from '../../table/store.ts'
import type { Work } from '../../work/steps.ts'
import { type Organisation, readOrganisation } from '../records/organisation.ts'
import { readUser } from '../records/user.ts'
import { type Rule, readRules, type StoredRules } from './rule.ts'
import { ruleChange } from './ruleWrites.ts'

// No rule excepts a purged user. The purge deletes the record, then reads all rules and removes the user from them. A rule
// that is written after this read is applied later still, and applying it removes users without a record.

/**
 * Returns a function: is this user excepted by a rule? Call it after the user's record was deleted. It reads all rules at the
 * first call, and again when they have changed.
 */
export function exceptionsNow(store: Store, { has_rules }: Organisation): (user: string) => Promise<boolean> {
  if (!has_rules) return async () => false
  let stored: Promise<StoredRules> | undefined
  return async (user) => {
    if (stored && (await readEdition(store)) > (await stored).edition) stored = undefined
    stored ??= readRules(store)
    return (await stored).rules.some(({ except_user_ids }) => except_user_ids.includes(user))
  }
}

const readEdition = async (store: Pick<Store, 'get'>): Promise<number> =>
  Number((await store.get(keys.ruleEditionKey))?.['edition'] ?? 0)

/** Removes purged users from the exceptions of these rules. Users that an import creates later stay. */
export async function dropGoneExceptions(moment: Moment, rules: readonly Rule[]): Promise<void> {
  const { store, now } = moment
  const excepted = [...new Set(rules.flatMap(({ except_user_ids }) => except_user_ids))]
  for (const some of chunksOf(excepted, READ_AT_ONCE)) {
    const tombstones = await Promise.all(some.map((id) => store.get(keys.tombstoneKey(id))))
    const leaving = some.filter((_, nth) => tombstones[nth])
    const found = await Promise.all(leaving.map((id) => readUser(store, id, now)))
    for (const id of leaving.filter((_, nth) => !found[nth])) await dropException(moment, id)
  }
}

const READ_AT_ONCE = 100
type Moment = Pick<Work, 'store' | 'now'>

/** Removes a purged user from the exceptions of all rules. */
export function dropException({ store, now }: Moment, user: string): Promise<void> {
  return decideAgain(async () => {
    const [stored, { predefined }] = await Promise.all([readRules(store), readOrganisation(store)])
    for (const before of stored.rules.filter(({ except_user_ids }) => except_user_ids.includes(user))) {
      const except_user_ids = before.except_user_ids.filter((id) => id !== user)
      const after = { ...before, except_user_ids, version: before.version + 1 }
      const changing = { predefined, shard: keys.randomShard(), stored, now, noRoundBecause: 'USER_GONE' as const }
      await store.write(ruleChange({ before, after }, changing))
    }
  })
}
