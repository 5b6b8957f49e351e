import { inParallel, slices } from '../base/flow.ts'
import { compareBytes } from '../base/text.ts'
import { channelAssignments } from '../channels/channelAssignment.ts'
import { groupAssignments } from '../groups/groupAssignment.ts'
import { exists } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import type { Action, Item } from '../table/store.ts'
import { bumpUserVersion, type UserRecord } from '../users/user.ts'
import { type Lookup, lookup, type Part, type Piece, packed, writePieces } from './importStore.ts'
import { type Conflict, countConflict, countKept } from './importSummary.ts'
import { type Assignment, mayGet, type Plan } from './plan.ts'
import { keyOf, livingUser, sectionOf } from './planAssignments.ts'

/** Assignments looked up together, and those of one user that are written together: each takes up to five actions. */
const SLICE = 1_000
const TOGETHER = 19

/** Assignments of one stored user. */
type Batch = { userId: string; user?: UserRecord; assignments: Assignment[]; shard: number }

/** Gives stored users the roles that they do not hold yet. */
export async function writeAssignments(plan: Plan): Promise<void> {
  const { context, assignments } = plan
  let done = 0
  const inOrder = assignments.toSorted((a, b) => compareBytes(a.userId, b.userId))
  for (const slice of slices(inOrder, SLICE)) {
    const batches = batchesOf(slice)
    const stored = await storedOf(plan, batches)
    const left = batches.filter((batch) => isLeft(plan, batch, stored))
    const build = (batch: Batch, shard: number) => pieceOf(plan, Object.assign(batch, { shard }))
    await inParallel(context.atOnce ?? 1, packed(context, left, build), async (pieces) => {
      const written = await writePieces(context, pieces, { without: without(plan), again: again(plan) })
      for (const one of written.flatMap((batch) => batch.assignments)) plan.summary[sectionOf(one)].created++
    })
    done += slice.length
    context.onProgress?.({ section: 'user_group_assignments', done, total: assignments.length })
  }
}

function batchesOf(slice: readonly Assignment[]): Batch[] {
  const byUser = Map.groupBy(slice, ({ userId }) => userId)
  return [...byUser].flatMap(([userId, all]) =>
    [...slices(all, TOGETHER)].map((assignments) => ({ userId, assignments, shard: 0 })),
  )
}

const storedOf = ({ context }: Plan, batches: readonly Batch[]): Promise<Lookup> =>
  lookup(
    context.store,
    batches.flatMap(({ userId, assignments }) => [keys.userKey(userId), ...assignments.map(keyOf)]),
  )

/** Counts and drops what exists or cannot be given; answers whether anything is left to write. */
function isLeft(plan: Plan, batch: Batch, stored: Lookup): boolean {
  const user = livingUser(plan, stored, batch.userId)
  if (user) batch.user = user
  const known = plan.users.get(batch.userId)
  batch.assignments = batch.assignments.filter((one) => {
    const item = stored(keyOf(one))
    if (!user) plan.summary[sectionOf(one)].skipped++
    else if (item) countStored(plan, one, item)
    else if (!mayGet(known, user)) countConflict(plan.summary, conflictAt(one, 'user_id'))
    else return true
    return false
  })
  return batch.assignments.length > 0
}

/** Counts an assignment that is stored already: it stays as it is. */
function countStored({ summary }: Plan, one: Assignment, { source }: Item): void {
  const isSame = !('group' in one) || one.source === source
  countKept(summary, { section: sectionOf(one), index: one.index }, isSame ? [] : ['source'])
}

const conflictAt = (one: Assignment, property: string): Conflict => ({
  section: sectionOf(one),
  index: one.index,
  property,
})

function pieceOf(plan: Plan, batch: Batch): Piece<Batch> {
  const user = batch.user as UserRecord
  return {
    one: batch,
    parts: [
      { action: bumpUserVersion(user) },
      ...batch.assignments.flatMap((one) => holding(plan, user, one, batch.shard)),
    ],
  }
}

const again = (plan: Plan) => async (batches: Batch[]) => {
  const stored = await storedOf(plan, batches)
  return batches.filter((batch) => isLeft(plan, batch, stored)).map((batch) => pieceOf(plan, batch))
}

const without =
  (plan: Plan) =>
  ({ one: batch }: Piece<Batch>, at: Conflict): Piece<Batch> | undefined => {
    countConflict(plan.summary, at)
    batch.assignments = batch.assignments.filter((one) => !isAt(one, at))
    return batch.assignments.length > 0 ? pieceOf(plan, batch) : undefined
  }

/** Whether a conflict is one of this assignment. */
export const isAt = (one: Assignment, at: Conflict): boolean => sectionOf(one) === at.section && one.index === at.index

/** A role held in a group or on a channel with its counts, and the conflicts that may stand in the way. */
export function holding(plan: Plan, user: UserRecord, one: Assignment, shard: number): Part[] {
  const held = { user_id: user.id, role_id: one.role }
  const counting = { ...plan.organisation, shard }
  const [put, count, ...uses] =
    'group' in one
      ? groupAssignments.create({ ...held, group_id: one.group }, user, one.source, counting)
      : channelAssignments.create({ ...held, channel_id: one.channel }, user, 'MANUAL', counting)
  return [
    { action: put as Action },
    ...placeParts(plan, count as Action, one),
    ...uses.map((action) => ({ action, at: conflictAt(one, 'role_id') })),
  ]
}

/** An import restores roles in archived groups: the group must only exist. */
function placeParts({ groups }: Plan, count: Action, one: Assignment): Part[] {
  if (!('group' in one) || groups.get(one.group)?.status !== 'ARCHIVED')
    return [{ action: count, at: conflictAt(one, 'group_id') }]
  const { if: _isOpen, ...counted } = count
  return [
    { action: counted },
    { action: { check: keys.groupTreeKey(one.group), if: exists }, at: conflictAt(one, 'group_id') },
  ]
}
