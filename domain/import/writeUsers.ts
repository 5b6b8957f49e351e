import { compareBytes } from '../base/text.ts'
import type { Editions } from '../people/records/attributes.ts'
import { users } from '../people/records/user.ts'
import { dropGoneExceptions } from '../people/rules/exceptedUsers.ts'
import { factsOf } from '../people/rules/matching.ts'
import { readRules } from '../people/rules/rule.ts'
import { isGranted, type RuleSet, readRuleSet } from '../people/rules/ruleSet.ts'
import { forProperty } from '../table/actions.ts'
import { absent } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import type { Item } from '../table/store.ts'
import { fits } from '../table/transactions.ts'
import type { Draft, NewUser } from './draft.ts'
import { differencesOf, keptUser } from './draftUsers.ts'
import type { Assignment } from './importedAssignment.ts'
import { grantIn, isByRules, isInConflict, sectionOf } from './importedAssignment.ts'
import { creationOfImported } from './importedUser.ts'
import { type Conflict, countConflict, countKept } from './importSummary.ts'
import { assignmentActions } from './writeAssignments.ts'
import { actionsAt, type CheckedAction, writeRecords } from './writeRecords.ts'

/** The actions for a user, and the assignments that are not among them. */
type BuiltUser = {
  actions: CheckedAction[]
  /** They do not fit into the user's transaction, and are written after it. */
  overflow: Assignment[]
  /** The file says that a rule gives them, but no rule does. */
  refused: Assignment[]
}

/** `rules` are read again when they turn out to be old. */
type WritingUsers = { draft: Draft; editions: Editions; rules: RuleSet }

/** Brings in the users of a draft, each with the writes of createUser and as many assignments as fit. */
export async function writeUsers(draft: Draft): Promise<void> {
  const { context, structure } = draft
  const editions = new Map([...structure.definitions].map(([name, { edition }]) => [name, edition]))
  const writing: WritingUsers = { draft, editions, rules: await readRuleSet(context.store) }
  const newUsers = [...draft.users.values()]
    .flatMap((user) => (user.kind === 'new' ? [user.newUser] : []))
    // Users of one group share its counter: more of them fit into a transaction.
    .sort((a, b) => compareBytes(a.user.primary_user_group_id, b.user.primary_user_group_id))
  let done = 0
  await writeRecords<NewUser, BuiltUser>(context, newUsers, {
    beforeWrite: context.pace,
    build: (user, shard) => buildUser(writing, user, shard),
    readAgain: async (users) => {
      writing.rules = await readRuleSet(context.store)
      return users
    },
    without: (user, conflict, found) => without(draft, user, conflict, found),
    count: (written, tried) => {
      for (const { record, built } of written) countCreated(draft, record, built)
      done += tried
      context.onProgress?.({ section: 'users', done, total: newUsers.length })
    },
  })
  await writeTombstones(draft)
}

function buildUser({ draft, editions, rules }: WritingUsers, newUser: NewUser, shard: number): BuiltUser {
  const { user, index, value, assignments } = newUser
  const { predefined } = draft.structure.organisation
  const { USER_GROUP_MEMBER: memberRole = '' } = predefined
  const byRules = assignments.filter((one) => isByRules(rules, one))
  const others = assignments.filter((one) => !byRules.includes(one))
  // Rules do not look at users pending deletion.
  const rulesForUser = user.deletion_at ? undefined : { rules, predefined, held: new Map() }
  const leftAlone = others.flatMap((one) => grantIn(one) ?? [])
  const actions = creationOfImported(user, {
    now: draft.context.now,
    shard,
    memberRole,
    editions,
    rulesForUser,
    leftAlone,
  })
  // An id that the file does not give follows from the username.
  const named = value.id ? actions : actions.map((one) => (one.property === 'id' ? forProperty('username', one) : one))
  const checked = actionsAt({ section: 'users', index }, named).map((one) => ({ ...one, ...requiring(rules, one) }))
  const overflow: Assignment[] = []
  for (const one of others) {
    const more = assignmentActions(draft, user, one, shard)
    if (fits([...checked, ...more].map(({ action }) => action))) checked.push(...more)
    else overflow.push(one)
  }
  const refused = byRules.filter((one) => !rulesForUser || !isGranted(rules, grantIn(one) ?? '', factsOf(user)))
  return { actions: checked, overflow, refused }
}

/**
 * The counter of users refuses a write for two reasons. Changed attribute definitions are a conflict; old rules are not: they are read
 * again.
 */
const requiring = ({ edition }: RuleSet, { action }: CheckedAction): Pick<CheckedAction, 'isOutdated'> =>
  'update' in action && action.update.pk === keys.userCountKey(0).pk
    ? { isOutdated: (found) => Number(found?.[keys.REQUIRED_RULES_EDITION] ?? 0) > edition }
    : {}

/** The user without the assignment in conflict; undefined if the user is in conflict. Counts what is left out. */
function without(draft: Draft, newUser: NewUser, conflict: Conflict, found: Item | undefined): NewUser | undefined {
  const { user, index, value, assignments, primaryRows } = newUser
  const { summary } = draft
  if (conflict.section !== 'users') {
    countConflict(summary, conflict)
    return { ...newUser, assignments: assignments.filter((one) => !isInConflict(one, conflict)) }
  }
  // The condition that failed may also be that of a reservation or a counter: then `found` is not a user.
  const existing = users.of(found)
  if (existing && differencesOf(value, user, existing).length === 0) {
    // Another import of the same file was faster.
    draft.users.set(user.id, { ...keptUser(existing), primaryInFile: user.primary_user_group_id })
    countKept(summary, { section: 'users', index }, [])
    summary.user_group_assignments.unchanged += primaryRows
    draft.assignments.push(...assignments)
  } else {
    draft.users.set(user.id, { kind: 'gone' })
    countConflict(summary, conflict)
    summary.user_group_assignments.skipped += primaryRows
    for (const one of assignments) summary[sectionOf(one)].skipped++
  }
  return undefined
}

function countCreated({ summary, assignments }: Draft, newUser: NewUser, { overflow, refused }: BuiltUser): void {
  summary.users.created++
  summary.user_group_assignments.created += newUser.primaryRows
  const notWritten = new Set([...overflow, ...refused])
  for (const one of refused) summary[sectionOf(one)].skipped++
  for (const one of newUser.assignments) if (!notWritten.has(one)) summary[sectionOf(one)].created++
  assignments.push(...overflow)
}

/** Reserves the ids of users whose deadline has passed already: no other user may get them. */
async function writeTombstones({ context, tombstones, summary }: Draft): Promise<void> {
  if (tombstones.length === 0) return
  await writeRecords(context, tombstones, {
    build: ({ id, index }) => ({
      actions: actionsAt({ section: 'users', index }, [
        forProperty('id', { check: keys.userKey(id), if: absent }),
        { put: keys.tombstoneKey(id) },
      ]),
    }),
    without: (_tombstone, conflict) => void countConflict(summary, conflict),
    count: (written) => {
      summary.users.skipped += written.length
    },
  })
  // The rules of a file of lines are written before these users, and may except them.
  await dropGoneExceptions(context, (await readRules(context.store)).rules)
}
