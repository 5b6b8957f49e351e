import type { Editions } from '../attributes/attributeDefinition.ts'
import { compareBytes } from '../base/text.ts'
import { countWithEvents } from '../table/events.ts'
import { absent } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { about, type Item } from '../table/store.ts'
import { MOST_ACTIONS } from '../table/transactions.ts'
import { users } from '../users/user.ts'
import { creation } from '../users/userWrites.ts'
import { type Conflict, countConflict, countKept } from './importSummary.ts'
import type { Assignment, NewUser, Plan } from './plan.ts'
import { sectionOf } from './planAssignments.ts'
import { differencesOf, keptUser } from './planUsers.ts'
import { assignmentParts, isAt } from './writeAssignments.ts'
import { type Part, partsAt, writeRecords } from './writeRecords.ts'

/** A user to create. The `later` assignments do not fit into the user's transaction, and are written as those of stored users. */
type Arrival = NewUser & { later: Assignment[] }

type Arriving = { plan: Plan; editions: Editions }

/** Brings in the users of a plan, each with the writes of createUser and as many assignments as fit. */
export async function writeUsers(plan: Plan): Promise<void> {
  const { context, reference } = plan
  const editions = new Map([...reference.definitions].map(([name, { edition }]) => [name, edition]))
  const arrivals = [...plan.users.values()]
    .flatMap((user): Arrival[] => (user.kind === 'new' ? [{ ...user.fresh, later: [] }] : []))
    // Users of one group share its counter: more of them fit into a transaction.
    .sort((a, b) => compareBytes(a.user.primary_user_group_id, b.user.primary_user_group_id))
  let done = 0
  await writeRecords<Arrival>(context, arrivals, {
    begin: context.pace,
    partsOf: (arrival, shard) => partsOf({ plan, editions }, arrival, shard),
    without: (arrival, conflict, found) => without(plan, arrival, conflict, found),
    count: (written, tried) => {
      for (const arrival of written) countCreated(plan, arrival)
      done += tried
      context.onProgress?.({ section: 'users', done, total: arrivals.length })
    },
  })
  await writeTombstones(plan)
}

function partsOf({ plan, editions }: Arriving, arrival: Arrival, shard: number): Part[] {
  const { user, index, value } = arrival
  const memberRole = plan.reference.organisation.predefined.USER_GROUP_MEMBER ?? ''
  const actions = creation(user, { now: plan.context.now, shard, memberRole, editions }, idTaken)
  // An id that the file does not give follows from the username.
  const named = value.id ? actions : actions.map((one) => (one.about === 'id' ? about('username', one) : one))
  const parts = partsAt({ section: 'users', index }, named)
  arrival.later = []
  for (const one of arrival.assignments) {
    const more = assignmentParts(plan, user, one, shard)
    if (countWithEvents([...parts, ...more].map(({ action }) => action)) <= MOST_ACTIONS) parts.push(...more)
    else arrival.later.push(one)
  }
  return parts
}

const idTaken = () => new Error('The id is taken')

/** What is left of a user when others were faster: no user, or a user without one of the assignments. */
function without(plan: Plan, arrival: Arrival, conflict: Conflict, found: Item | undefined): Arrival | undefined {
  const { user, index, value, assignments, primaryRows } = arrival
  const { summary } = plan
  if (conflict.section !== 'users') {
    countConflict(summary, conflict)
    return { ...arrival, assignments: assignments.filter((one) => !isAt(one, conflict)) }
  }
  // A reservation or a counter may be in the way, too. These have no record.
  const existing = users.of(found)
  if (existing && differencesOf(value, user, existing).length === 0) {
    // Another import of the same file was faster.
    plan.users.set(user.id, { ...keptUser(existing), wanted: user.primary_user_group_id })
    countKept(summary, { section: 'users', index }, [])
    summary.user_group_assignments.unchanged += primaryRows
    plan.assignments.push(...assignments)
  } else {
    plan.users.set(user.id, { kind: 'gone' })
    countConflict(summary, conflict)
    summary.user_group_assignments.skipped += primaryRows
    for (const one of assignments) summary[sectionOf(one)].skipped++
  }
  return undefined
}

function countCreated({ summary, assignments }: Plan, { assignments: all, later, primaryRows }: Arrival): void {
  summary.users.created++
  summary.user_group_assignments.created += primaryRows
  const isLater = new Set(later)
  for (const one of all) if (!isLater.has(one)) summary[sectionOf(one)].created++
  assignments.push(...later)
}

/** Keeps the ids of users whose deadline had passed before they came: they must never be used. */
const writeTombstones = ({ context, tombstones, summary }: Plan): Promise<void> =>
  writeRecords(context, tombstones, {
    partsOf: ({ id, index }) =>
      partsAt({ section: 'users', index }, [
        about('id', { check: keys.userKey(id), if: absent }),
        { put: keys.tombstoneKey(id) },
      ]),
    without: (_tombstone, conflict) => void countConflict(summary, conflict),
    count: (written) => {
      summary.users.skipped += written.length
    },
  })
