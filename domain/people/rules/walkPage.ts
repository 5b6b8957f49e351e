import { inParallel } from '../../base/parallel.ts'
import { succeeded } from '../../table/actions.ts'
import * as keys from '../../table/keys.ts'
import { SHARDS } from '../../table/keys.ts'
import { pack } from '../../table/pack.ts'
import type { Cause, Item, Store } from '../../table/store.ts'
import { walkOn } from '../../table/walk.ts'
import type { RulesRound } from '../../table/workKinds.ts'
import type { Work } from '../../work/steps.ts'
import { groupMembers } from '../records/group.ts'
import { groupAssignments } from '../records/groupAssignment.ts'
import { countedRoles } from '../records/groupLists.ts'
import { type Organisation, readOrganisation } from '../records/organisation.ts'
import { type UserRecord, users } from '../records/user.ts'
import { allLists, nameOfList } from '../records/userLists.ts'
import {
  applyRulesToUser,
  type Causes,
  grantsFor,
  ofActiveGroups,
  ROLE_CHANGES_PER_TRANSACTION,
} from './applyToUser.ts'
import { factsOf } from './matching.ts'
import { type HeldRoles, type RoleChange, readHeld, roleChangeActions, roleChangesOf } from './roleChanges.ts'
import type { StoredRules } from './rule.ts'
import { grantOf, isGranted, partsOfGrant, type RuleSet } from './ruleSet.ts'
import { causeIn, partsOfPending } from './rulesWork.ts'
import { bumpVersionForRoles, requirePresentRules } from './walkActions.ts'

// One page of a walk: which users it has, and which roles the rules of a round give to them and take from them.

const rangesOfUsers = allLists.map((list) => ({ index: 'by_id', hash: nameOfList(list), only: ['pk'] }))
/** Users pending deletion only lose roles that no rule names any more: where a round takes none of these, they are not counted. */
export const isCounted = ({ status }: Pick<UserRecord, 'status'>, endsGrants: boolean): boolean =>
  endsGrants || status !== 'PENDING_DELETION'

/** Users read at once: few, so that other calls do not wait long for the database. */
const USERS_PER_PAGE = 100
/** Actions of a transaction, and one transaction at a time: few, as other calls wait for them. */
const ACTIONS_PER_TRANSACTION = 40
const TRANSACTIONS_AT_ONCE = 1
/** From this number of grants on, one query reads all roles of a user. */
const MANY_GRANTS = 4
const USERS_READ_AT_ONCE = 16

/** What the walks of a round need for each user. `mayLose`: the grants that some user holds, and so may lose. */
type WalkNeeds = {
  rules: RuleSet
  causes: Causes
  grants: readonly string[]
  mayLose: ReadonlySet<string>
  predefined: Organisation['predefined']
  /** The ids of rules that are removed when the round ends. */
  deleted: readonly string[]
}
/** The rules as they were read. `isOutdated` once a write has shown that they are not the present ones any more. */
export type CurrentRules = { rules: RuleSet; stored: StoredRules; isOutdated: () => boolean }

/** `changed` is called with the number of roles that were given or taken. */
export type RulesWork = Work & { changed?: (roles: number) => void }

/** Applies the rules to the users of one page. Returns where the walk is after it. */
export async function walkPage(work: RulesWork, needs: WalkNeeds, at: RulesRound): Promise<RulesRound> {
  const list = allLists[at.part] as (typeof allLists)[number]
  const { items, position } = await walkOn(work.store, rangesOfUsers, at, USERS_PER_PAGE)
  const found = await applyRulesToUsers(work, needs, items.map(keys.userOfRow))
  // A user who is in another list by now counts there.
  const ofList = found.filter(({ status, role }) => status === list.status && role === list.role)
  const seen = at.seen + (isCounted(list, at.endsGrants) ? ofList.length : 0)
  return { ...at, seen, ...position }
}

/** What the walks of the current round need, read from its entry, the rules and the counters of groups. */
export async function needsOf(
  { store }: Work,
  entry: Item,
  { taken }: RulesRound,
  { rules, stored }: CurrentRules,
): Promise<WalkNeeds> {
  const { predefined } = await readOrganisation(store)
  const changes = taken.map((one) => ({ ...partsOfPending(one), cause: entry[causeIn(one)] as Cause | undefined }))
  // The last change of a grant is the cause of what it gives and takes.
  changes.sort((a, b) => a.edition - b.edition)
  const causes: Causes = new Map(changes.map(({ grant, cause }) => [grant, cause]))
  const grants = ofActiveGroups(rules, [...causes.keys()])
  const groups = Map.groupBy(grants.map(partsOfGrant), ({ group }) => group)
  const mayLose = new Set<string>()
  // A role can be lost only if its counter shows that some user has it.
  await inParallel(USERS_READ_AT_ONCE, groups, async ([group, some]) => {
    const counted = countedRoles(await groupMembers(group).read(store, 'strong'))
    for (const { role } of some) if (counted.has(role)) mayLose.add(grantOf(group, role))
  })
  const changed = new Set(taken.map((one) => partsOfPending(one).id))
  const deleted = stored.rules.filter(({ id, deleting }) => deleting && changed.has(id)).map(({ id }) => id)
  return { rules, causes, grants, mayLose, predefined, deleted }
}

/** A user and the changes of their roles. */
type Piece = { user: UserRecord; roleChanges: RoleChange[] }

/** Applies the rules of a round to these users. Returns the users as they were read. */
async function applyRulesToUsers(work: RulesWork, needs: WalkNeeds, ids: readonly string[]): Promise<UserRecord[]> {
  const { store } = work
  const found = (await Promise.all(ids.map((id) => users.read(store, id)))).filter((user) => user !== undefined)
  const pieces: Piece[] = []
  const atOnce = needs.grants.length < MANY_GRANTS ? found.length : USERS_READ_AT_ONCE
  await inParallel(atOnce, found, async (user) => {
    const roleChanges = await roleChangesFor(store, needs, user)
    if (roleChanges.length > 0) pieces.push({ user, roleChanges })
  })
  const [small, large] = [
    pieces.filter(({ roleChanges }) => roleChanges.length <= ROLE_CHANGES_PER_TRANSACTION),
    pieces.filter(({ roleChanges }) => roleChanges.length > ROLE_CHANGES_PER_TRANSACTION),
  ]
  await writePieces(work, needs, small)
  for (const { user, roleChanges } of large) {
    await applyRulesToUser(work, user.id, needs.causes)
    work.changed?.(roleChanges.length)
  }
  return found
}

/** What changes of the roles of a user. Reads only the roles that the round may change. */
async function roleChangesFor(
  store: Store,
  { rules, grants, mayLose }: WalkNeeds,
  user: UserRecord,
): Promise<RoleChange[]> {
  const facts = factsOf(user)
  const open = grantsFor(rules, user, grants).filter((grant) => mayLose.has(grant) || isGranted(rules, grant, facts))
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
  { rules, causes, predefined }: WalkNeeds,
  pieces: readonly Piece[],
): Promise<void> {
  const shardOf = (transaction: number): number => transaction % SHARDS
  const actionsOf = ({ user, roleChanges }: Piece, transaction: number) => [
    ...roleChanges.flatMap((one) =>
      roleChangeActions(rules, user, one, { predefined, shard: shardOf(transaction) }, causes.get(one.grant)),
    ),
    bumpVersionForRoles(user, roleChanges),
  ]
  const packed = pack(pieces, actionsOf, { most: ACTIONS_PER_TRANSACTION, spare: 1 })
  await inParallel(TRANSACTIONS_AT_ONCE, packed, async ({ pieces: some, actions }) => {
    const isWritten = await succeeded(work.store.write(requirePresentRules(rules, actions)))
    // Another call has changed one of the users, or a rule: each is read again and written alone.
    if (!isWritten) for (const { user } of some) await applyRulesToUser(work, user.id, causes)
    work.changed?.(some.reduce((sum, { roleChanges }) => sum + roleChanges.length, 0))
  })
}
