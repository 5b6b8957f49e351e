import type { Editions } from '../attributes/attributeDefinition.ts'
import { inParallel } from '../base/flow.ts'
import { compareBytes } from '../base/text.ts'
import { countWithEvents } from '../table/events.ts'
import { absent } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import type { Action, Item } from '../table/store.ts'
import { MOST_ACTIONS } from '../table/transactions.ts'
import { users } from '../users/user.ts'
import { creation } from '../users/userWrites.ts'
import { type Part, type Piece, packed, writePieces } from './importStore.ts'
import { type Conflict, countConflict, countKept } from './importSummary.ts'
import type { Assignment, NewUser, Plan } from './plan.ts'
import { sectionOf } from './planAssignments.ts'
import { differencesOf, keptUser } from './planUsers.ts'
import { holding, isAt } from './writeAssignments.ts'

type Writing = { plan: Plan; editions: Editions }

/** A user on the way: counted in this shard; the rest of the assignments does not fit and comes later. */
type Coming = NewUser & { shard: number; rest: Assignment[] }

/** Brings in the users of a plan, each with the writes of createUser and as many assignments as fit. */
export async function writeUsers(plan: Plan): Promise<void> {
  const { context } = plan
  const writing = { plan, editions: new Map([...plan.definitions].map(([name, { edition }]) => [name, edition])) }
  const fresh = [...plan.users.values()]
    .flatMap((user): Coming[] => (user.kind === 'new' ? [{ ...user.fresh, shard: 0, rest: [] }] : []))
    // Users of one group share its counter: more of them fit into a transaction.
    .sort((a, b) => compareBytes(a.user.primary_user_group_id, b.user.primary_user_group_id))
  let done = 0
  const build = (user: Coming, shard: number) => pieceOf(writing, Object.assign(user, { shard }))
  await inParallel(context.atOnce ?? 1, packed(context, fresh, build), async (pieces) => {
    await context.pace?.(pieces.length)
    const written = await writePieces(context, pieces, {
      without: ({ one }, at, found) => without(writing, one, at, found),
      again: (users) => users.map((user) => pieceOf(writing, user)),
    })
    for (const user of written) countCreated(plan, user)
    done += pieces.length
    context.onProgress?.({ section: 'users', done, total: fresh.length })
  })
  await writeTombstones(plan)
}

function pieceOf({ plan, editions }: Writing, fresh: Coming): Piece<Coming> {
  const { user, shard } = fresh
  const memberRole = plan.organisation.predefined.USER_GROUP_MEMBER ?? ''
  const actions = creation(user, { now: plan.context.now, shard, memberRole, editions }, idTaken)
  const parts = actions.map((action): Part => ({ action, at: conflictOf(fresh, action) }))
  fresh.rest = []
  for (const one of fresh.assignments) {
    const more = holding(plan, user, one, shard)
    if (countWithEvents([...parts, ...more].map(({ action }) => action)) <= MOST_ACTIONS) parts.push(...more)
    else fresh.rest.push(one)
  }
  return { one: fresh, parts }
}

const idTaken = () => new Error('The id is taken')

/** The property in conflict when an action of a creation fails; the counter of users also judges attributes. */
function conflictOf({ index, value }: NewUser, { otherwise }: Action): Conflict {
  const property = typeof otherwise === 'function' ? 'id' : (otherwise?.property ?? 'attributes')
  // An id that the file does not say follows from the username.
  return { section: 'users', index, property: property === 'id' && !value.id ? 'username' : property }
}

/** What is left of a user's writes when others were faster: no user, or a user without one of the assignments. */
function without(writing: Writing, fresh: Coming, at: Conflict, found: Item | undefined): Piece<Coming> | undefined {
  const { plan } = writing
  const { user, index, value, assignments, primaryRows } = fresh
  const { summary } = plan
  if (at.section !== 'users') {
    countConflict(summary, at)
    fresh.assignments = assignments.filter((one) => !isAt(one, at))
    return pieceOf(writing, fresh)
  }
  // What stands in the way may also be a reservation or a counter: those have no record.
  const existing = users.of(found)
  if (existing && differencesOf(value, user, existing).length === 0) {
    // Another import of the same file was faster.
    plan.users.set(user.id, { ...keptUser(existing), wanted: user.primary_user_group_id })
    countKept(summary, { section: 'users', index }, [])
    summary.user_group_assignments.unchanged += primaryRows
    plan.assignments.push(...assignments)
  } else {
    plan.users.set(user.id, { kind: 'gone' })
    countConflict(summary, at)
    summary.user_group_assignments.skipped += primaryRows
    for (const one of assignments) summary[sectionOf(one)].skipped++
  }
  return undefined
}

function countCreated({ summary, assignments }: Plan, { assignments: all, rest, primaryRows }: Coming): void {
  summary.users.created++
  summary.user_group_assignments.created += primaryRows
  const late = new Set(rest)
  for (const one of all) if (!late.has(one)) summary[sectionOf(one)].created++
  assignments.push(...rest)
}

/** Keeps the ids of users whose deadline had passed before they came: nobody may ever use them. */
async function writeTombstones({ context, tombstones, summary }: Plan): Promise<void> {
  const build = (one: Plan['tombstones'][number]): Piece<typeof one> => ({
    one,
    parts: [
      {
        action: { check: keys.userKey(one.id), if: absent },
        at: { section: 'users', index: one.index, property: 'id' },
      },
      { action: { put: keys.tombstoneKey(one.id) } },
    ],
  })
  for (const pieces of packed(context, tombstones, build)) {
    const without = (_piece: unknown, at: Conflict) => void countConflict(summary, at)
    const written = await writePieces(context, pieces, { without, again: (some) => some.map(build) })
    summary.users.skipped += written.length
  }
}
