import * as keys from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import type { Item, Store } from '../../table/store.ts'
import type { UserRecord } from '../records/user.ts'
import { type Facts, factsOf, hasOtherFacts } from './matching.ts'
import { grantOf, isGranted, type RuleSet, rulesFor } from './ruleSet.ts'
import type { HeldRoles, Reader, Settling } from './settle.ts'

// What a change of a stored user needs to know: the rules, and the roles in groups that the user holds.

/** The items of a user's roles in groups, by grant. */
export const heldIn = (items: readonly Item[]): HeldRoles =>
  new Map(
    items.flatMap((item) => {
      if (keys.kindOfAssignment(item) !== 'GROUP') return []
      const { target, role } = keys.partsOfAssignment(item)
      return [[grantOf(target, role), item] as const]
    }),
  )

/** Reads a user's roles in groups. Must be called after the user was read. */
export const readHeld = async (store: Pick<Store, 'query'>, user: string): Promise<HeldRoles> =>
  heldIn(await all(store, keys.groupRolesOfUser(user)))

type Changed = { before: UserRecord; after: UserRecord; held?: HeldRoles | undefined }

/**
 * Reads what a change of a stored user needs to know of rules; undefined if no condition can test what it changes. `held`: the
 * user's roles in groups, if they were read already, after the user.
 */
export async function settlingOf(context: Reader, { before, after, held }: Changed): Promise<Settling | undefined> {
  const isRestored = before.status === 'PENDING_DELETION'
  if (!isRestored && !hasOtherFacts(before, after)) return undefined
  const rules = await rulesFor(context)
  if (!rules) return undefined
  const { predefined } = await context.organisation()
  const hasOtherGroup = before.primary_user_group_id !== after.primary_user_group_id
  if (!isRestored && !hasOtherGroup && !givesOther(rules, factsOf(before), factsOf(after))) return { rules, predefined }
  return { rules, predefined, held: held ?? (await readHeld(context.store, after.id)) }
}

/** Whether rules give other grants by the facts after a change than by those before it. */
const givesOther = (rules: RuleSet, before: Facts, after: Facts): boolean =>
  [...rules.matchers.keys()].some((grant) => isGranted(rules, grant, before) !== isGranted(rules, grant, after))
