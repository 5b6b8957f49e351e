import { slices } from '../../base/parallel.ts'
import { isPast } from '../../base/text.ts'
import { countUsers } from '../../people/records/countUsers.ts'
import { type UserRecord, users } from '../../people/records/user.ts'
import { listsOf } from '../../people/records/userLists.ts'
import type { Match } from '../../people/records/userMatch.ts'
import type { Store } from '../../table/store.ts'
import type { Plan } from '../plan.ts'
import { conditionOf } from '../selected.ts'
import { fewIds, type Looked, readIds, walk } from '../selection.ts'
import type { Found } from '../verdict.ts'
import { type FileCheck, SHOWN_MS } from './fileCheck.ts'
import type { FileRequest } from './fileRequest.ts'
import type { FileWork } from './fileWork.ts'
import type { KeptUser } from './joinRows.ts'
import { keyNameOf, partOf } from './key.ts'
import { matchingMarks } from './marks.ts'
import { marksPart } from './readStage.ts'
import { saidOf } from './rowValues.ts'
import { type Filling, filling, putWork, recordsOf } from './workFiles.ts'

const everybody = { all: true } as const
const USERS_AT_ONCE = 200
/** The most of a working file. */
const MOST_BYTES = 8 * 1024 * 1024
/** Below this many rows, users are looked up by their keys: a walk would begin with more requests. */
const FEW_ROWS = 100

/** Read units: for a row of the list of all users, for a record of up to 4 kB, and for the user of a key. */
const UNITS = { listed: 0.03, record: 0.5, byKey: 1 }

/** WALK: users go to working files, by the hash of their key: all of them, or those who may be absent from the file. */
export async function* walkStage(check: FileCheck, plan: Plan, begun: FileWork): AsyncGenerator<Found> {
  const { checking, files } = check
  const isBegun = begun.after !== null
  let at = isBegun ? begun : await planned(check, begun)
  if (at.walk === 'NONE') return yield { verdicts: [], at: { file: { ...at, stage: 'JOIN' } } }
  const among = await whoIsAskedFor(check, plan)
  const total = plan.position.total + (isBegun ? 0 : await countUsers(checking.context, listsOf(noFilter)))
  let { looked } = plan.position
  let box = filling(at.parts)
  let shownAt = performance.now()
  const step = async (more: Partial<FileWork> = {}): Promise<Found> => {
    const users = box.records() > 0 ? [...at.users, await putWork(files, 'u', box.whole())] : at.users
    at = { ...at, users, ...more }
    box = filling(at.parts)
    shownAt = performance.now()
    return { verdicts: [], at: { file: at, looked, total } }
  }
  for await (const some of await usersIn(check, among, at)) {
    const scope = at.scope + (await addUsers(check, among, some.ids, box))
    looked += some.looked
    at = { ...at, scope, after: some.after }
    if (box.bytes() >= MOST_BYTES || performance.now() - shownAt >= SHOWN_MS) yield await step()
  }
  yield await step({ stage: 'JOIN' })
}

type Among = Awaited<ReturnType<typeof whoIsAskedFor>>

/** Adds users to a working file. Returns how many of them the file is about, if it says so: limits are shares of these. */
async function addUsers(check: FileCheck, { holds }: Among, ids: readonly string[], box: Filling): Promise<number> {
  const { absent, match_by } = check.request
  let matches = 0
  for await (const user of recordsWith(check, ids)) {
    const isMatch = absent !== 'KEEP' && user.status !== 'PENDING_DELETION' && (await holds(user))
    matches += Number(isMatch)
    const name = keyNameOf(match_by, user)
    if (name !== undefined) box.add(partOf(name, box.parts), keptUser(user, isMatch))
  }
  return matches
}

/** The users with these ids who are not gone, as they were a moment ago. */
async function* recordsWith({ checking: { context } }: FileCheck, ids: readonly string[]): AsyncGenerator<UserRecord> {
  for (const some of slices(ids, USERS_AT_ONCE)) {
    const found = await Promise.all(some.map((id) => users.readEventual(context.store, id)))
    for (const user of found) if (user && !isPast(user.deletion_at, context.now)) yield user
  }
}

const noFilter = { statuses: [], roles: [] }

const keptUser = (user: UserRecord, isMatch: boolean): KeptUser => ({
  u: saidOf(user),
  ...(isMatch ? { m: true } : {}),
  ...(user.protected ? { p: true } : {}),
})

type Source = { select: NonNullable<Plan['request']['select']>; ids?: string[] }

/** The users whom a whole file is about. */
async function whoIsAskedFor({ checking: { work }, request }: FileCheck, { id }: Plan) {
  const select = request.absent_among ?? everybody
  const ids = 'user_ids' in select ? (await readIds(work.store, id)).sort() : undefined
  const known = ids && new Set(ids)
  const condition = await conditionOf(work.store, select)
  const holds = async (user: UserRecord): Promise<boolean> =>
    (known === undefined || known.has(user.id)) && (await condition(user)) !== undefined
  return { select, ...(ids ? { ids } : {}), holds }
}

/** The users whose records are read, in the order of their ids. */
async function usersIn(check: FileCheck, among: Source, work: FileWork): Promise<AsyncGenerator<Looked>> {
  const { store } = check.checking.work
  const { walk: which, after } = work
  if (which === 'SCOPE') return usersOf(store, among, after)
  return walk(store, everybody, after, which === 'MARKED' ? await havingMarks(check, work) : undefined)
}

async function havingMarks({ files }: FileCheck, work: FileWork): Promise<Match> {
  const marks = new Uint32Array(work.marked)
  let n = 0
  for await (const mark of recordsOf<number>(files, work.rows, marksPart(work))) marks[n++] = mark
  return matchingMarks(marks)
}

async function* usersOf(store: Store, { select, ids }: Source, after: string | null): AsyncGenerator<Looked> {
  const few = ids ?? (await fewIds(store, select))
  if (!few) return yield* walk(store, select, after)
  const left = few.filter((id) => after === null || id > after)
  for (const some of slices(left, USERS_AT_ONCE)) yield { ids: some, looked: some.length, after: some.at(-1) ?? '' }
}

/** Which users are walked over, and how many there are of whom the limits are shares. */
async function planned({ checking: { context }, request }: FileCheck, work: FileWork): Promise<FileWork> {
  const all = await countUsers(context, listsOf({ ...noFilter, statuses: ['ACTIVE', 'LOCKED', 'DEACTIVATED'] }))
  if (request.absent === 'KEEP') return { ...work, walk: cheapest(request, work, all), scope: all }
  const isLarge = work.keyed >= FEW_ROWS && work.keyed * 2 >= all
  return { ...work, walk: isLarge ? 'ALL' : 'SCOPE', scope: 0 }
}

/** How the users of all rows are read with the fewest units. */
function cheapest({ match_by }: FileRequest, { keyed, marked }: FileWork, users: number): FileWork['walk'] {
  if (match_by === 'ID' || keyed < FEW_ROWS) return 'NONE'
  const { listed, record, byKey } = UNITS
  const units = {
    NONE: keyed * byKey,
    MARKED: users * listed + marked * record + (keyed - marked) * byKey,
    ALL: users * (listed + record),
  }
  return units.ALL <= Math.min(units.NONE, units.MARKED) ? 'ALL' : units.MARKED < units.NONE ? 'MARKED' : 'NONE'
}
