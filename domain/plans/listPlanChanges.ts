import type { UserRecord } from '../people/records/user.ts'
import { loadUsers, userReference } from '../people/records/userReference.ts'
import { askedCursor } from '../request/askedPage.ts'
import type { Context, Input } from '../request/context.ts'
import { pagesOf } from '../table/reader.ts'
import type { Store } from '../table/store.ts'
import { entriesOf, type ReadChange, readChanges, type SliceEntry, type StoredSlice, sliceIn } from './change.ts'
import { hidesValues, type Plan, requirePlan } from './plan.ts'
import { planItemsFrom } from './planItems.ts'

type Filter = { actions: string[] | undefined; outcomes: string[] | undefined }

/** A page ends when its changes have this many bytes. */
const MOST_PAGE_BYTES = 1_048_576
/** The most slices that a call looks at if a filter leaves few changes, with some 2,000 read units. Then a page may be short. */
const MOST_SLICES = 1_000
/** Slices of one request: with a filter, most of them may have nothing to show. */
const SLICES_AT_ONCE = { plain: 3, filtered: 100 }

/** Lists the changes of a plan, in their order. */
export async function listPlanChanges(context: Context, { path, query }: Input<'listPlanChanges'>) {
  const { store, now } = context
  const [plan, { cursor, limit, pagination }] = await Promise.all([
    requirePlan(store, path.plan_id, now),
    askedCursor<Filter>(context, ['listPlanChanges', path.plan_id], query, {
      sort: [],
      filters: { actions: query.action, outcomes: query.outcome },
    }),
  ])
  const from = Number(cursor.at?.id ?? 1)
  const { shown, next } = await readPage(context, plan, { from, limit, filter: cursor.filters })
  const at = next === undefined ? undefined : { ...cursor, at: { values: [], id: String(next) } }
  const users = await loadUsers(
    { store, now },
    shown.map(({ user }) => user),
  )
  const changes = shown.map((change) => viewChange(change, users.get(change.user), isForgotten(plan, change, now)))
  return { status: 200, body: { changes, pagination: await pagination(at) } }
}

type Asked = { from: number; limit: number; filter: Filter }
type Page = { shown: ReadChange[]; next?: number }

/** The next changes that fit a filter, and the number to go on from; undefined at the end. */
async function readPage({ store }: Context, plan: Plan, asked: Asked): Promise<Page> {
  const shown: ReadChange[] = []
  const room = roomFor(asked.limit)
  let looked = 0
  for await (const slice of slicesOf(store, plan, asked)) {
    if (looked++ === MOST_SLICES) return { shown, next: slice.first }
    const found = await readFitting(store, plan, slice, asked)
    const end = found.findIndex((change) => !room(change))
    shown.push(...found.slice(0, end < 0 ? found.length : end))
    if (end >= 0) return { shown, next: found[end]?.number ?? slice.first }
  }
  return { shown }
}

/** Returns a test: whether a page has room for one more change. There is always room for the first. */
function roomFor(limit: number): (change: ReadChange) => boolean {
  let [number, bytes] = [0, 0]
  return (change) => {
    bytes += Buffer.byteLength(JSON.stringify(change))
    return ++number <= limit && (bytes <= MOST_PAGE_BYTES || number === 1)
  }
}

/** The slices of a plan from the one that has a change. */
async function* slicesOf(store: Store, plan: Plan, { from, filter }: Asked): AsyncGenerator<StoredSlice> {
  const range = await planItemsFrom(store, { plan: plan.id, kind: 'SLICE', number: from })
  const limit = SLICES_AT_ONCE[filter.actions || filter.outcomes ? 'filtered' : 'plain']
  for await (const { items } of pagesOf(store, { ...range, limit })) yield* items.map(sliceIn)
}

/** The changes of a slice that fit, at most one more than a page has. */
async function readFitting(store: Store, plan: Plan, slice: StoredSlice, { from, limit, filter }: Asked) {
  const { actions, outcomes } = filter
  // Of the slice whose changes are being made, the changes themselves know what has become of them.
  const isUnderWay = (plan.state === 'APPLYING' || !plan.settled) && slice.first === plan.position.looked + 1
  const hasOutcome = ({ outcome }: SliceEntry): boolean => !outcomes || outcomes.includes(outcome)
  const entries = entriesOf(slice)
    .filter((entry) => entry.number >= from && (!actions || actions.includes(entry.action)))
    .filter((entry) => isUnderWay || hasOutcome(entry))
  const changes = await readChanges(store, plan.id, isUnderWay ? entries : entries.slice(0, limit + 1))
  return changes.filter(hasOutcome)
}

/** Of a plan that was carried out, only the values of users who were not created are removed. */
const isForgotten = (plan: Plan, { action, outcome }: ReadChange, now: string): boolean =>
  hidesValues(plan, now) && (plan.state !== 'DONE' || (action === 'CREATE' && outcome !== 'DONE'))

function viewChange(change: ReadChange, user: UserRecord | undefined, isHidden: boolean) {
  const { number, row, action, fields, outcome, error = null } = change
  const isToCome = action === 'CREATE' && outcome !== 'DONE'
  // Of a user who is gone, nothing is shown but that there was a change.
  const shown = isHidden || !(user || isToCome) ? [] : fields
  const reference = isToCome && !user ? null : userReference(change.user, user)
  return { number, row, user: reference, action, fields: shown, outcome, error }
}
