import { chunksOf } from '../base/parallel.ts'
import { readUser, type UserRecord } from '../people/records/user.ts'
import { exists } from '../table/expressions.ts'
import type { Action, Store } from '../table/store.ts'
import { SLICE } from './change.ts'
import type { Judge } from './judge.ts'
import type { Plan } from './plan.ts'
import {
  assignmentKeys,
  countWalk,
  digestOfCounts,
  fewIds,
  fieldsMatch,
  firstHeld,
  idItems,
  missedBy,
  readIds,
  recentFrom,
  walk,
} from './selection.ts'
import { type Checking, type Found, faultOf, refusalIn, type Verdict } from './verdict.ts'

// A check of a selection: finds the users, some at a time, and judges each.

/** Users read at once. */
const READ_AT_ONCE = SLICE

/** A user to be looked at, and their row, if the caller has named them. */
type Wanted = { id: string; row: number | null }
/** What is known of each of some users; undefined for those who do not match. */
type Look = (some: readonly Wanted[]) => Promise<(Verdict | undefined)[]>

/** The users of a selection, with what is to be done with each. */
export async function* selected(checking: Checking, plan: Plan, judge: Judge): AsyncGenerator<Found> {
  const { context, work } = checking
  const { store } = work
  const { select = {} } = plan.request
  const holds = await conditionOf(store, select)
  const since = recentFrom(plan)
  const look: Look = async (some) => {
    const users = await Promise.all(some.map(({ id }) => readUser(store, id, context.now)))
    return Promise.all(
      some.map(async (wanted, n) => {
        const user = users[n]
        const verdict = await verdictOn({ ...wanted, user, holds, judge })
        return verdict && { ...verdict, isRecent: user !== undefined && user.updated_at >= since }
      }),
    )
  }
  const ids = plan.position.by === 'WALK' ? undefined : await idsOf(store, plan)
  yield* ids ? among(plan, ids, look) : walked(checking, plan, look)
}

/** Looks at some users, and yields each by itself: what is known of all may be too much for a step. `at` is the place after one. */
async function* eachOf<W extends Wanted>(
  some: readonly W[],
  look: Look,
  at: (one: W) => Found['at'],
): AsyncGenerator<Found> {
  const verdicts = await look(some)
  for (const [n, one] of some.entries()) yield { verdicts: [verdicts[n] ?? []].flat(), at: at(one) }
}

/** Goes on through the ids that a plan keeps. Where the caller has named them, their places are their rows; the first one counts. */
async function* among({ position, request }: Plan, ids: readonly string[], look: Look): AsyncGenerator<Found> {
  const isNamed = request.select?.user_ids !== undefined
  const firstPlaces = new Map(ids.map((id, n) => [id, n + 1] as const).reverse())
  const at = (looked: number) => ({ by: 'IDS', looked, total: ids.length }) as const
  for (let from = position.by === null ? 0 : position.looked; from < ids.length; from += READ_AT_ONCE) {
    const some = ids.slice(from, from + READ_AT_ONCE).map((id, n) => ({ id, place: from + n + 1 }))
    const firsts = some.filter(({ id, place }) => firstPlaces.get(id) === place)
    const wanted = firsts.map((one) => ({ ...one, row: isNamed ? one.place : null }))
    yield* eachOf(wanted, look, ({ place }) => at(place))
    yield { verdicts: [], at: at(from + some.length) }
  }
}

/** Goes on with the walk over all users, and then looks at those who have moved meanwhile. */
async function* walked({ context, work: { store } }: Checking, plan: Plan, look: Look): AsyncGenerator<Found> {
  const { select = {} } = plan.request
  const { position } = plan
  const before = position.by === null ? await digestOfCounts(store) : undefined
  const total = position.total || (await countWalk(context, select))
  let { looked } = position
  for await (const some of position.again === 0 ? walk(store, select, position.after) : []) {
    for (const ids of chunksOf(some.ids.map(unnamed), READ_AT_ONCE))
      yield* eachOf(ids, look, ({ id }) => ({ by: 'WALK', total, after: id }))
    looked += some.looked
    yield { verdicts: [], at: { by: 'WALK', looked, total, after: some.after } }
  }
  const hasMoves = before === undefined || before !== (await digestOfCounts(store))
  if (hasMoves) yield* missed(store, plan, look)
}

/** Looks at users who may have moved from one list to another while both were read. */
async function* missed(store: Store, plan: Plan, look: Look): AsyncGenerator<Found> {
  for (let again = Math.max(1, plan.position.again); again <= MOST_AGAIN; again++) {
    const digest = await digestOfCounts(store)
    const at = { by: 'WALK', again } as const
    yield { verdicts: [], at, isToBeWritten: true }
    const ids = await missedBy(store, plan)
    for (const some of chunksOf(ids.map(unnamed), READ_AT_ONCE)) yield* eachOf(some, look, () => at)
    if (digest === (await digestOfCounts(store))) return
  }
}
const unnamed = (id: string): Wanted => ({ id, row: null })

/** How often users who have moved meanwhile are looked for, if users go on to move. */
const MOST_AGAIN = 3

/** The ids that a plan keeps, or those that an index finds; undefined if they are too many. */
async function idsOf(store: Store, plan: Plan): Promise<string[] | undefined> {
  // A process that died may have left more ids than the plan has.
  if (plan.position.by === 'IDS') return (await readIds(store, plan.id)).slice(0, plan.position.total)
  const ids = await fewIds(store, plan.request.select ?? {})
  // Written before the first step, so that all steps go through the same ids. Writing them again writes the same.
  if (ids && ids.length > 0) for (const action of idItems(plan.id, ids)) await store.write([action], 'housekeeping')
  return ids
}

/** Returns a test: whether a user still is who the selection is about. The key of an assignment must stay. */
export async function conditionOf(
  store: Store,
  select: NonNullable<Plan['request']['select']>,
): Promise<(user: UserRecord) => Promise<{ actions: Action[] } | undefined>> {
  const matches = fieldsMatch(select)
  const keysOf = await assignmentKeys(store, select)
  return async (user) => {
    if (!matches(user)) return undefined
    if (!keysOf) return { actions: [] }
    const held = await firstHeld(store, keysOf(user.id))
    return held && { actions: [{ check: { pk: held.pk, sk: held.sk }, if: exists }] }
  }
}

type Asked = Wanted & {
  user: UserRecord | undefined
  holds: Awaited<ReturnType<typeof conditionOf>>
  judge: Judge
}

const noSuchUser = { code: 'USER_NOT_FOUND', detail: 'There is no such user' } as const

/** A missing user is a fault where the caller has named them. */
async function verdictOn({ id, user, row, holds, judge }: Asked): Promise<Verdict | undefined> {
  if (!user) return row !== null ? { user: id, faults: faultOf(row, id, noSuchUser) } : undefined
  if (!(await holds(user))) return undefined
  try {
    const change = await judge(user)
    return { user: id, ...(change ? { change: { ...change, row } } : {}) }
  } catch (error) {
    const refusal = refusalIn(error)
    if (!refusal) throw error
    return { user: id, faults: faultOf(row, id, refusal) }
  }
}
