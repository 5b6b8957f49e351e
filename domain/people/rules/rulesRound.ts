import { inParallel } from '../../base/parallel.ts'
import { decideAgain } from '../../base/retry.ts'
import { momentAfter } from '../../base/text.ts'
import { succeeded } from '../../table/actions.ts'
import { atMost, either, is, lacks } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import { readRulesForUsers } from '../../table/readWork.ts'
import type { Store } from '../../table/store.ts'
import { endWork, recordProgress } from '../../table/work.ts'
import type { Entry, RulesRound } from '../../table/workKinds.ts'
import { isShortOfTime, type Work } from '../../work/steps.ts'
import { readOrganisation } from '../records/organisation.ts'
import { userCounts } from '../records/userCounters.ts'
import { allLists } from '../records/userLists.ts'
import { summarizeCounts } from '../records/userTotals.ts'
import { finishRulesForUser } from './applyToUser.ts'
import { readRules } from './rule.ts'
import type { RuleSet } from './ruleSet.ts'
import { readRulesWork } from './rulesWork.ts'
import { ruleChange } from './ruleWrites.ts'
import { isCounted } from './walkPage.ts'

// A round: how it begins, whether a walk has seen all users, and how it ends.

/** The longest delay of an index: after this time it shows all writes of calls that did not know the rules yet. */
const LONGEST_INDEX_LAG_MS = 70_000
/** How often a walk that has seen too few users is repeated at once, and the pause before each further walk. */
const QUICK_WALKS = 3
const NEXT_WALK_MS = 5_000

export type RulesEntry = Entry<'rules'>

/**
 * Begins a round for all noted changes. The rules were read after the entry, so they include these changes. Once the shards of the
 * counter of users require this edition, a change of a user that older rules decided is refused, and one that moves the user to another
 * list notes that the rules have to be applied to them. If another change was noted meanwhile, the write fails, and the next step
 * begins a round with both changes. So the rules include no other change, and no two rounds have the same edition.
 */
export async function beginRound(work: Work, entry: RulesEntry, { edition, ended }: RuleSet): Promise<void> {
  const { changes } = entry
  const endsGrants = ended.size > 0
  await inParallel(keys.SHARDS / 4, userCounts.keys, async (update) => {
    const raise = { update, set: { [keys.REQUIRED_RULES_EDITION]: edition, [keys.RULES_ROUND]: edition } }
    await succeeded(
      work.store.write(
        [{ ...raise, if: either(lacks(keys.REQUIRED_RULES_EDITION), atMost(keys.REQUIRED_RULES_EDITION, edition)) }],
        'housekeeping',
      ),
    )
  })
  const marked = work.clock().toISOString()
  const round: RulesRound = {
    edition,
    taken: [...entry.pending],
    changes,
    marked,
    endsGrants,
    ...(await newWalk(work, endsGrants)),
    again: 0,
  }
  const asRead = { round: entry.round, changes }
  const isBegun = await succeeded(work.store.write([recordProgress(work, entry, { round }, asRead)], 'housekeeping'))
  // If nothing is left to do, another process has ended this round. The shards were written after that end: they are cleared here.
  if (!isBegun && !(await readRulesWork(work.store))) await endRoundInShards(work.store, round)
}

/** The start of a walk. Users are counted before it begins. */
async function newWalk({ store, clock }: Work, endsGrants: boolean) {
  const { users: counted, digest } = await countNow(store, endsGrants)
  return { began: clock().toISOString(), part: 0, after: null, seen: 0, counted, print: digest }
}

const countNow = async (store: Store, endsGrants: boolean) =>
  summarizeCounts(
    await userCounts.read(store, 'strong'),
    allLists.filter((list) => isCounted(list, endsGrants)),
  )

/** Writes the progress of a round; false if another process has written it. */
export const writeRound = (
  work: Work,
  entry: RulesEntry,
  round: RulesRound | null,
  set: object = {},
): Promise<boolean> =>
  succeeded(work.store.write([recordProgress(work, entry, { round, ...set }, { round: entry.round })], 'housekeeping'))

/** Ends a round: its changes are applied, and the rules that it has `deleted` are removed. False if that has to wait. */
export async function endRound(
  work: Work,
  entry: RulesEntry,
  round: RulesRound,
  deleted: readonly string[],
): Promise<boolean> {
  const [{ digest }, movedUsers] = await Promise.all([
    countNow(work.store, round.endsGrants),
    readRulesForUsers(work.store),
  ])
  if (!hasSeenAll(round, digest)) return walkAgain(work, entry, round, digest === round.print)
  // Users who have moved meanwhile.
  for (const noted of movedUsers) {
    if (isShortOfTime(work)) return false
    await finishRulesForUser(work, noted)
  }
  await endRoundInShards(work.store, round)
  for (const id of deleted) await removeRule(work, id)
  await endChanges(work, entry, round)
  return true
}

/** From this moment on each index shows all moves from before the shards required the edition of the round. */
const indexesCaughtUp = ({ marked }: RulesRound): string => momentAfter(marked, LONGEST_INDEX_LAG_MS)

/**
 * Whether a walk has seen all users, `digest` being that of the counters now: it has seen as many as there were, and nobody has come,
 * left or moved meanwhile. Or it began so late that each index shows all earlier moves; users who move later are noted.
 */
const hasSeenAll = (round: RulesRound, digest: string): boolean =>
  (digest === round.print && round.seen === round.counted) || round.began >= indexesCaughtUp(round)

/**
 * Begins another walk of a round; false if it has to wait. Where an index was late, a few follow at once. Among users who come and
 * go another one would prove no more: it waits until the indexes have caught up.
 */
async function walkAgain(work: Work, entry: RulesEntry, round: RulesRound, isStill: boolean): Promise<boolean> {
  const walk = { ...round, ...(await newWalk(work, round.endsGrants)), again: round.again + 1 }
  const caughtUp = indexesCaughtUp(round)
  const isQuick = walk.began >= caughtUp || (isStill && round.again < QUICK_WALKS)
  if (isQuick) await writeRound(work, entry, walk)
  else {
    const began = isStill ? momentAfter(walk.began, NEXT_WALK_MS) : caughtUp
    await writeRound(work, entry, { ...walk, began }, { due: began })
  }
  return isQuick
}

/** Ends the entry, or leaves in it the changes that came after the round had begun. */
async function endChanges(work: Work, entry: RulesEntry, round: RulesRound): Promise<void> {
  const now = await readRulesWork(work.store)
  if (!now) return
  const left = [...now.pending].filter((one) => !round.taken.includes(one))
  const asRead = { changes: now.changes, round: entry.round }
  const end =
    left.length === 0
      ? endWork(now, asRead)
      : recordProgress(work, now, { pending: new Set(left), round: null }, asRead)
  await succeeded(work.store.write([end], 'housekeeping'))
}

/** From now on a move of a user needs no look at rules. If a shard names a later round, it stays. */
const endRoundInShards = (store: Store, { edition }: RulesRound): Promise<void> =>
  inParallel(keys.SHARDS / 4, userCounts.keys, async (update) => {
    const clear = { update, clear: [keys.RULES_ROUND], if: is({ [keys.RULES_ROUND]: edition }) }
    await succeeded(store.write([clear], 'housekeeping'))
  })

/** Removes a deleted rule: nobody holds its role by it any more. */
const removeRule = ({ store, clock }: Work, id: string): Promise<void> =>
  decideAgain(async () => {
    const [stored, { predefined }] = await Promise.all([readRules(store), readOrganisation(store)])
    const before = stored.rules.find((rule) => rule.id === id)
    if (!before?.deleting) return
    const changing = { predefined, shard: keys.randomShard(), stored, now: clock().toISOString() }
    await store.write(ruleChange({ before }, { ...changing, noRoundBecause: 'APPLIED' }), 'housekeeping')
  })
