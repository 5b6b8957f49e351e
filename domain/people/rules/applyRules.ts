import { decideAgain, inParallel } from '../../base/flow.ts'
import { momentAfter } from '../../base/text.ts'
import type { Context } from '../../request/context.ts'
import { randomShard } from '../../table/counters.ts'
import { atMost, either, is, lacks } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import { SHARDS } from '../../table/keys.ts'
import { walkOn } from '../../table/reader.ts'
import { type Action, type Cause, happened, type Item, isAt, keyOf, type Store } from '../../table/store.ts'
import { pack } from '../../table/transactions.ts'
import {
  type Entry,
  endWork,
  isShortOfTime,
  type RulesRound,
  readSettling,
  recordProgress,
  timeBeforeAnswer,
  type Work,
} from '../../table/work.ts'
import { inSteps } from '../../work/steps.ts'
import { doCallsWork } from '../../work/taking.ts'
import { countedRoles, groupMembers } from '../records/group.ts'
import { groupAssignments } from '../records/groupAssignment.ts'
import { readOrganisation } from '../records/organisation.ts'
import { type UserRecord, users } from '../records/user.ts'
import { census, userCounts } from '../records/userCounts.ts'
import { listsOf, nameOfList } from '../records/userLists.ts'
import { dropGoneExceptions } from './exceptions.ts'
import { factsOf } from './matching.ts'
import { readRules, type StoredRules } from './rule.ts'
import { causeIn, partsOfPending, readRulesWork, ruleChange, rulesWorkKey } from './ruleChange.ts'
import { grantOf, isGranted, partsOfGrant, type RuleSet, ruleSetOf } from './ruleSet.ts'
import {
  type HeldRoles,
  type RoleChange,
  readHeld,
  requirePresentRules,
  roleChangesOf,
  settle,
  settledUser,
} from './settle.ts'
import {
  type Causes,
  finishSettling,
  grantsFor,
  ofActiveGroups,
  ROLE_CHANGES_PER_TRANSACTION,
  settleUser,
} from './settleUser.ts'

// Applies changes of rules to all users, in rounds: one walk over all users gives and takes the roles of all changed rules.
// docs/decisions/rules.md proves that no user is missed.

/** The lists of all users. */
const lists = listsOf({ statuses: [], roles: [] })
const rangesOfUsers = lists.map((list) => ({ index: 'by_id', hash: nameOfList(list), only: ['pk'] }))
/** Users pending deletion only lose roles that no rule names any more: where a round takes none of these, they are not counted. */
const isCounted = ({ status }: Pick<UserRecord, 'status'>, endsGrants: boolean): boolean =>
  endsGrants || status !== 'PENDING_DELETION'

/** Users read at once: few, so that other calls do not wait long for the database. */
const USERS_PER_PAGE = 100
/** Full pages between two writes of a walk's progress: if its process dies, only these are repeated. */
const PAGES_PER_STEP = 10
/** Actions of a transaction, and transactions at the same time: few, as other calls wait for them. */
const ACTIONS_PER_TRANSACTION = 40
const TRANSACTIONS_AT_ONCE = 1
/** From this number of grants on, one query reads all roles of a user. */
const MANY_GRANTS = 4
const USERS_READ_AT_ONCE = 16
/** After this time each index shows all writes of calls that did not know the rules yet. */
const INDEXES_SETTLE_MS = 70_000
/** How often a walk that has seen too few users is repeated at once, and the pause before each further walk. */
const QUICK_WALKS = 3
const NEXT_WALK_MS = 5_000

type RulesEntry = Entry<'rules'>
/** `changed` is called with the number of roles that were given or taken. */
type RulesWork = Work & { changed?: (roles: number) => void }

/** After this number of roles given and taken, or after this time, a call answers and leaves the rest to a worker. */
export const beforeAnswer = { roles: 1_000, ms: 10_000 }

/**
 * Applies the changes of rules that the `written` actions of a call have noted, unless another process does so already. A small
 * change is complete before the answer; a worker does the rest of a large one. Never throws, as the rule itself is written.
 */
export async function applyRulesNow(
  { store, now, clock, timeLeft, requestId }: Context,
  written: readonly Action[],
): Promise<void> {
  if (!written.some((action) => isAt(rulesWorkKey)(keyOf(action)))) return
  const entry = await readRulesWork(store).catch(() => undefined)
  if (!entry || entry.holder !== requestId || entry.from !== undefined) return
  const time = timeBeforeAnswer({ clock, timeLeft }, beforeAnswer.ms)
  let roles = 0
  const work: RulesWork = {
    store,
    now,
    clock,
    timeLeft: () => (roles >= beforeAnswer.roles ? 0 : time()),
    changed: (more) => {
      roles += more
    },
  }
  await doCallsWork(work, [entry], applyRules)
}

/**
 * Applies all changes of rules that are noted, as far as there is time, and then ends the entry. May be repeated. If two
 * processes do so at the same time, one of them stops when the other is ahead.
 */
export async function applyRules(work: RulesWork, noted: RulesEntry): Promise<void> {
  await inSteps(work, noted, async () => {
    const entry = await readRulesWork(work.store)
    const now = work.clock().toISOString()
    if (entry?.from !== undefined && entry.from > now) {
      // A later call has noted the first rule, which has to wait. The schedule continues at that moment.
      await happened(work.store.write([recordProgress(work, entry, { due: entry.from })], 'aside'))
      return undefined
    }
    return entry && (await doRound(work, entry)) ? entry : undefined
  })
}

/** Begins a round, or continues the current one. False if there is nothing more to do now. */
async function doRound(work: RulesWork, entry: RulesEntry): Promise<boolean> {
  const stored = await readRules(work.store)
  let isOutdated = false
  const rules = await ruleSetOf(work.store, stored, () => {
    isOutdated = true
  })
  // A round of the release before has not marked that it is under way: it begins anew.
  if (entry.round?.print !== undefined)
    return walk(work, entry, entry.round, { rules, stored, isOutdated: () => isOutdated })
  const changed = new Set([...entry.pending].map((one) => partsOfPending(one).id))
  const now = work.clock().toISOString()
  await dropGoneExceptions(
    { ...work, now },
    stored.rules.filter(({ id }) => changed.has(id)),
  )
  await beginRound(work, entry, rules)
  return true
}

/**
 * Begins a round for all noted changes. The rules were read after the entry, so they include these changes. After the
 * counters of users are marked, a change of a user that older rules decided is refused, and one that moves the user to another list
 * notes that they must be settled. If another change was noted meanwhile, it begins again with that one: so the rules include no other
 * change, and no two rounds have the same edition.
 */
async function beginRound(work: Work, entry: RulesEntry, { edition, ended }: RuleSet): Promise<void> {
  const { changes } = entry
  const endsGrants = ended.size > 0
  await inParallel(SHARDS / 4, userCounts.keys, async (update) => {
    const mark = { update, set: { [keys.RULES_MARK]: edition, [keys.RULES_ROUND]: edition } }
    await happened(
      work.store.write([{ ...mark, if: either(lacks(keys.RULES_MARK), atMost(keys.RULES_MARK, edition)) }], 'aside'),
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
  const isBegun = await happened(work.store.write([recordProgress(work, entry, { round }, asRead)], 'aside'))
  // If nothing is left to do, another process has ended this round: nobody else clears the marks that came after its end.
  if (!isBegun && !(await readRulesWork(work.store))) await unmark(work.store, round)
}

/** The start of a walk. Users are counted before it begins. */
async function newWalk({ store, clock }: Work, endsGrants: boolean) {
  const { users: counted, print } = await countNow(store, endsGrants)
  return { began: clock().toISOString(), part: 0, after: null, seen: 0, counted, print }
}

const countNow = async (store: Store, endsGrants: boolean) =>
  census(
    await userCounts.read(store, 'now'),
    lists.filter((list) => isCounted(list, endsGrants)),
  )

/** Writes the progress of a round; false if another process has written it. */
const writeRound = (work: Work, entry: RulesEntry, round: RulesRound | null, set: object = {}): Promise<boolean> =>
  happened(work.store.write([recordProgress(work, entry, { round, ...set }, { round: entry.round })], 'aside'))

/** What a round needs to settle users. `losing`: the grants that some user holds and so may lose. */
type Round = {
  rules: RuleSet
  causes: Causes
  grants: readonly string[]
  losing: ReadonlySet<string>
  predefined: Predefined
  /** The ids of rules that are removed when the round ends. */
  deleted: readonly string[]
}
/** The rules as they were read. `isOutdated` once a write has shown that they are not the present ones any more. */
type Present = { rules: RuleSet; stored: StoredRules; isOutdated: () => boolean }
type Predefined = Awaited<ReturnType<typeof readOrganisation>>['predefined']

/**
 * Continues a walk as far as there is time; false if there is more to do later. It writes its progress only every few pages, so
 * pages may be repeated.
 */
async function walk(work: RulesWork, entry: RulesEntry, from: RulesRound, present: Present): Promise<boolean> {
  if (from.began > work.clock().toISOString()) {
    await happened(work.store.write([recordProgress(work, entry, { due: from.began })], 'aside'))
    return false
  }
  const round = await roundOf(work, entry, from, present)
  const mayGoOn = (): boolean => !(isShortOfTime(work) || present.isOutdated())
  let [at, stored] = [from, entry]
  let pages = 0
  while (at.part < lists.length && mayGoOn()) {
    if (pages >= PAGES_PER_STEP) {
      if (!(await keepWalk(work, stored, at))) return true
      stored = { ...stored, round: at }
      pages = 0
    }
    at = await walkPage(work, round, at)
    // The last page of a list does not count: in small organisations, all pages are last ones and take no time.
    pages += Number(at.after !== null)
  }
  if (at.part === lists.length) return endRound(work, stored, at, round.deleted)
  // If rules have changed, it goes on by the present ones.
  return !(await keepWalk(work, stored, at)) || present.isOutdated()
}

/** Writes the progress of a walk, unless it is written already. False if another process has written it. */
const keepWalk = async (work: Work, stored: RulesEntry, at: RulesRound): Promise<boolean> =>
  at === stored.round || writeRound(work, stored, at)

/** Settles the users of one page. Returns where the walk is after it. */
async function walkPage(work: RulesWork, round: Round, at: RulesRound): Promise<RulesRound> {
  const list = lists[at.part] as (typeof lists)[number]
  const { items, place } = await walkOn(work.store, rangesOfUsers, at, USERS_PER_PAGE)
  const found = await settlePage(work, round, items.map(keys.userOfRow))
  // A user who is in another list by now counts there.
  const ofList = found.filter(({ status, role }) => status === list.status && role === list.role)
  const seen = at.seen + (isCounted(list, at.endsGrants) ? ofList.length : 0)
  return { ...at, seen, ...place }
}

async function roundOf(
  { store }: Work,
  entry: Item,
  { taken }: RulesRound,
  { rules, stored }: Present,
): Promise<Round> {
  const { predefined } = await readOrganisation(store)
  const changes = taken.map((one) => ({ ...partsOfPending(one), cause: entry[causeIn(one)] as Cause | undefined }))
  // The last change of a grant is the cause of what it gives and takes.
  changes.sort((a, b) => a.edition - b.edition)
  const causes: Causes = new Map(changes.map(({ grant, cause }) => [grant, cause]))
  const grants = ofActiveGroups(rules, [...causes.keys()])
  const groups = Map.groupBy(grants.map(partsOfGrant), ({ group }) => group)
  const losing = new Set<string>()
  // A role can be lost only if its counter shows that some user has it.
  await inParallel(USERS_READ_AT_ONCE, groups, async ([group, some]) => {
    const counted = countedRoles(await groupMembers(group).read(store, 'now'))
    for (const { role } of some) if (counted.has(role)) losing.add(grantOf(group, role))
  })
  const changed = new Set(taken.map((one) => partsOfPending(one).id))
  const deleted = stored.rules.filter(({ id, deleting }) => deleting && changed.has(id)).map(({ id }) => id)
  return { rules, causes, grants, losing, predefined, deleted }
}

/** A user with what changes of their roles. */
type Piece = { user: UserRecord; roleChanges: RoleChange[] }

/** Settles these users by the rules of a round. Returns the users as they were read. */
async function settlePage(work: RulesWork, round: Round, ids: readonly string[]): Promise<UserRecord[]> {
  const { store } = work
  const found = (await Promise.all(ids.map((id) => users.read(store, id)))).filter((user) => user !== undefined)
  const pieces: Piece[] = []
  const atOnce = round.grants.length < MANY_GRANTS ? found.length : USERS_READ_AT_ONCE
  await inParallel(atOnce, found, async (user) => {
    const roleChanges = await roleChangesFor(store, round, user)
    if (roleChanges.length > 0) pieces.push({ user, roleChanges })
  })
  const [small, large] = [
    pieces.filter(({ roleChanges }) => roleChanges.length <= ROLE_CHANGES_PER_TRANSACTION),
    pieces.filter(({ roleChanges }) => roleChanges.length > ROLE_CHANGES_PER_TRANSACTION),
  ]
  await writePieces(work, round, small)
  for (const { user, roleChanges } of large) {
    await settleUser(work, user.id, round.causes)
    work.changed?.(roleChanges.length)
  }
  return found
}

/** What changes of the roles of a user. Reads only the roles that the round may change. */
async function roleChangesFor(store: Store, { rules, grants, losing }: Round, user: UserRecord): Promise<RoleChange[]> {
  const facts = factsOf(user)
  const open = grantsFor(rules, user, grants).filter((grant) => losing.has(grant) || isGranted(rules, grant, facts))
  if (open.length === 0) return []
  const held = open.length < MANY_GRANTS ? await heldAt(store, user.id, open) : await readHeld(store, user.id)
  return roleChangesOf(rules, user, held, open)
}

async function heldAt(store: Pick<Store, 'get'>, user_id: string, grants: readonly string[]): Promise<HeldRoles> {
  const reading = grants.map(async (grant) => {
    const { group: group_id, role: role_id } = partsOfGrant(grant)
    return [grant, await groupAssignments.read(store, { user_id, group_id, role_id })] as const
  })
  return new Map((await Promise.all(reading)).flatMap(([grant, item]) => (item ? [[grant, item] as const] : [])))
}

async function writePieces(
  work: RulesWork,
  { rules, causes, predefined }: Round,
  pieces: readonly Piece[],
): Promise<void> {
  const shardOf = (transaction: number): number => transaction % SHARDS
  const actionsOf = ({ user, roleChanges }: Piece, transaction: number) => [
    ...roleChanges.flatMap((one) =>
      settle(rules, user, one, { predefined, shard: shardOf(transaction) }, causes.get(one.grant)),
    ),
    settledUser(user, roleChanges),
  ]
  const packed = pack(pieces, actionsOf, { most: ACTIONS_PER_TRANSACTION, spare: 1 })
  await inParallel(TRANSACTIONS_AT_ONCE, packed, async ({ items, actions }) => {
    const isWritten = await happened(work.store.write(requirePresentRules(rules, actions)))
    // Another call has changed one of the users, or a rule: each is read again and settled by itself.
    if (!isWritten) for (const { user } of items) await settleUser(work, user.id, causes)
    work.changed?.(items.reduce((sum, { roleChanges }) => sum + roleChanges.length, 0))
  })
}

/** Ends a round: its changes are applied, and the rules that it has `deleted` are removed. False if that has to wait. */
async function endRound(
  work: Work,
  entry: RulesEntry,
  round: RulesRound,
  deleted: readonly string[],
): Promise<boolean> {
  const [{ print }, settling] = await Promise.all([countNow(work.store, round.endsGrants), readSettling(work.store)])
  if (!hasSeenAll(round, print)) return walkAgain(work, entry, round, print === round.print)
  // Users who have moved meanwhile.
  for (const noted of settling) {
    if (isShortOfTime(work)) return false
    await finishSettling(work, noted)
  }
  await unmark(work.store, round)
  for (const id of deleted) await removeRule(work, id)
  await endChanges(work, entry, round)
  return true
}

/** From this moment on each index shows all moves from before the marks. */
const indexesSettle = ({ marked }: RulesRound): string => momentAfter(marked, INDEXES_SETTLE_MS)

/**
 * Whether a walk has seen all users, `print` being that of the counters now: it has seen as many as there were, and nobody has come,
 * left or moved meanwhile. Or it began so late that each index shows all earlier moves: whoever moves later is noted.
 */
const hasSeenAll = (round: RulesRound, print: string): boolean =>
  (print === round.print && round.seen === round.counted) || round.began >= indexesSettle(round)

/**
 * Begins another walk of a round; false if it has to wait. Where an index was late, a few follow at once. Among users who come and
 * go another one would prove no more: it waits until the indexes have settled.
 */
async function walkAgain(work: Work, entry: RulesEntry, round: RulesRound, isStill: boolean): Promise<boolean> {
  const walk = { ...round, ...(await newWalk(work, round.endsGrants)), again: round.again + 1 }
  const settled = indexesSettle(round)
  const isQuick = walk.began >= settled || (isStill && round.again < QUICK_WALKS)
  if (isQuick) await writeRound(work, entry, walk)
  else {
    const began = isStill ? momentAfter(walk.began, NEXT_WALK_MS) : settled
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
  await happened(work.store.write([end], 'aside'))
}

/** From now on a move of a user needs no look at rules. A later round has another edition: its marks stay. */
const unmark = (store: Store, { edition }: RulesRound): Promise<void> =>
  inParallel(SHARDS / 4, userCounts.keys, async (update) => {
    const clear = { update, clear: [keys.RULES_ROUND], if: is({ [keys.RULES_ROUND]: edition }) }
    await happened(store.write([clear], 'aside'))
  })

/** Removes a deleted rule: nobody holds its role by it any more. */
const removeRule = ({ store, clock }: Work, id: string): Promise<void> =>
  decideAgain(async () => {
    const [stored, { predefined }] = await Promise.all([readRules(store), readOrganisation(store)])
    const before = stored.rules.find((rule) => rule.id === id)
    if (!before?.deleting) return
    const changing = { predefined, shard: randomShard(), stored, now: clock().toISOString() }
    await store.write(ruleChange({ before }, { ...changing, because: 'APPLIED' }), 'aside')
  })
