import { chunksOf } from '../base/parallel.ts'
import { compareBytes } from '../base/text.ts'
import { channelAssignments } from '../people/records/channelAssignment.ts'
import { groupAssignments } from '../people/records/groupAssignment.ts'
import { bumpUserVersion } from '../people/records/heldRoles.ts'
import type { UserRecord } from '../people/records/user.ts'
import { requireRules } from '../people/rules/roleChanges.ts'
import { type RuleSet, readRuleSet } from '../people/rules/ruleSet.ts'
import { forProperty } from '../table/actions.ts'
import { exists } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import type { Action, Item } from '../table/store.ts'
import { type Draft, mayReceive, presentUser } from './draft.ts'
import { type Assignment, assignmentKey, isByRules, isInConflict, sectionOf } from './importedAssignment.ts'
import { countConflict, countKept, type FilePosition } from './importSummary.ts'
import { lookup } from './lookup.ts'
import { actionsAt, type Built, type CheckedAction, writeRecords } from './writeRecords.ts'

/** Assignments that are looked up at once. */
const LOOKED_UP_AT_ONCE = 1_000
/** Assignments of one user that are written at once: each takes up to five actions. */
const PER_USER_AT_ONCE = 19

/** Assignments of one stored user. Those with the source RULE are written only if `rules` has no rule for their group and role. */
type Batch = { userId: string; user?: UserRecord; assignments: Assignment[]; rules?: RuleSet | undefined }

/** Gives stored users the roles that they do not hold yet. */
export async function writeAssignments(draft: Draft): Promise<void> {
  const { context, assignments, summary } = draft
  let done = 0
  const byUser = assignments.toSorted((a, b) => compareBytes(a.userId, b.userId))
  for (const some of chunksOf(byUser, LOOKED_UP_AT_ONCE)) {
    await writeRecords<Batch, Built>(context, await missing(draft, batchesOf(some)), {
      build: ({ user, assignments, rules }, shard) => ({
        actions: [
          { action: bumpUserVersion(user as UserRecord) },
          ...assignments.flatMap((one) => assignmentActions(draft, user as UserRecord, one, shard)),
          ...(rules && assignments.some(isOfRule) ? requireRules(rules, shard, []).map((action) => ({ action })) : []),
        ],
      }),
      without: (batch, conflict) => {
        countConflict(summary, conflict)
        const left = batch.assignments.filter((one) => !isInConflict(one, conflict))
        return left.length > 0 ? { ...batch, assignments: left } : undefined
      },
      readAgain: (batches) => missing(draft, batches),
      count: (written) => {
        for (const one of written.flatMap(({ record }) => record.assignments)) summary[sectionOf(one)].created++
      },
    })
    done += some.length
    context.onProgress?.({ section: 'user_group_assignments', done, total: assignments.length })
  }
}

function batchesOf(assignments: readonly Assignment[]): Batch[] {
  const byUser = Map.groupBy(assignments, ({ userId }) => userId)
  return [...byUser].flatMap(([userId, all]) =>
    [...chunksOf(all, PER_USER_AT_ONCE)].map((some) => ({ userId, assignments: some })),
  )
}

const isOfRule = (one: Assignment): boolean => 'group' in one && one.source === 'RULE'

/** The assignments that are not stored yet, with their users as they are now. The others are counted. */
async function missing(draft: Draft, batches: readonly Batch[]): Promise<Batch[]> {
  const isAnyOfRule = batches.some(({ assignments }) => assignments.some(isOfRule))
  const rules = isAnyOfRule ? await readRuleSet(draft.context.store) : undefined
  const stored = await lookup(
    draft.context.store,
    batches.flatMap(({ userId, assignments }) => [keys.userKey(userId), ...assignments.map(assignmentKey)]),
  )
  return batches.flatMap(({ userId, assignments }) => {
    const user = presentUser(draft, stored, userId)
    const left = assignments.filter((one) => isMissing(draft, one, { user, item: stored(assignmentKey(one)), rules }))
    return user && left.length > 0 ? [{ userId, user, assignments: left, rules }] : []
  })
}

type Stored = { user: UserRecord | undefined; item: Item | undefined; rules: RuleSet | undefined }

/** Whether an assignment has to be written. If it is stored or cannot be given, it is counted. */
function isMissing(draft: Draft, one: Assignment, { user, item, rules }: Stored): boolean {
  const { summary } = draft
  const section = sectionOf(one)
  if (!user) summary[section].skipped++
  else if (item) countStored(draft, one, item)
  else if (rules && isByRules(rules, one)) summary[section].skipped++
  else if (!mayReceive(draft.users.get(one.userId), user))
    countConflict(summary, { section, index: one.index, property: 'user_id' })
  else return true
  return false
}

/** Counts an assignment that is stored already: it stays as it is. */
function countStored({ summary }: Draft, one: Assignment, { source }: Item): void {
  const isSame = !('group' in one) || one.source === source
  countKept(summary, { section: sectionOf(one), index: one.index }, isSame ? [] : ['source'])
}

/** The actions that give a user a role in a group or on a channel. */
export function assignmentActions(draft: Draft, user: UserRecord, one: Assignment, shard: number): CheckedAction[] {
  const position: FilePosition = { section: sectionOf(one), index: one.index }
  const id = { user_id: user.id, role_id: one.role }
  const counting = { ...draft.structure.organisation, shard }
  if (!('group' in one))
    return actionsAt(position, channelAssignments.create({ ...id, channel_id: one.channel }, user, 'MANUAL', counting))
  const actions = groupAssignments.create({ ...id, group_id: one.group }, user, one.source, counting).map(imported)
  const isArchived = draft.structure.groups.get(one.group)?.status === 'ARCHIVED'
  return actionsAt(position, isArchived ? actions.flatMap((action) => inArchivedGroup(action, one.group)) : actions)
}

/** Marks a role with the source RULE as imported: rules that name it take it over, and without one it stays. */
const imported = (action: Action): Action =>
  'put' in action && action.put['imported'] === false ? { ...action, put: { ...action.put, imported: true } } : action

/** An import restores roles in archived groups: the group need not be open, it must only exist. */
function inArchivedGroup(action: Action, group: string): Action[] {
  if (action.property !== 'group_id') return [action]
  const { if: _isOpen, property: _group, ...count } = action
  return [count, forProperty('group_id', { check: keys.groupTreeKey(group), if: exists })]
}
