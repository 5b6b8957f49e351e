import { chunksOf } from '../../base/parallel.ts'
import { isPast } from '../../base/text.ts'
import { type UserRecord, users } from '../../people/records/user.ts'
import { listOfName, listsOf, type UserList } from '../../people/records/userLists.ts'
import { countUsers } from '../../people/records/userTotals.ts'
import * as keys from '../../table/keys.ts'
import type { Item, Store } from '../../table/store.ts'
import type { Plan } from '../plan.ts'
import { conditionOf } from '../selected.ts'
import { fewIds, isOfLists, readIds, rowMayMatch, walkRows } from '../selection.ts'
import type { Found } from '../verdict.ts'
import { mayBeAbsent } from './absent.ts'
import { type FileCheck, SHOWN_MS } from './fileCheck.ts'
import type { FileRequest } from './fileRequest.ts'
import type { FileWork, Walk } from './fileWork.ts'
import type { KeptUser, ListedUser } from './joinRows.ts'
import { markIn, matchingMarks } from './marks.ts'
import { marksPart } from './readStage.ts'
import { keyNameOf, markOfName, partOf } from './rowKey.ts'
import { saidOf } from './rowValues.ts'
import { type Filling, filling, putWork, recordsOf } from './workFiles.ts'

const everybody = { all: true } as const
const USERS_AT_ONCE = 200
/** The most of a working file. */
const MOST_WORK_FILE_BYTES = 4 * 1024 * 1024
/** Below this many rows, users are looked up by their keys: a walk would begin with more requests. */
const FEW_ROWS = 100

/**
 * From this share of all users on, a file is read by a walk: it costs 0.03 units a user, and saves 0.5 of 1 unit for each row whose user
 * it finds. Lists that earlier releases have written may show of nobody that they are in the file: then this costs 0.1 units a row.
 */
const WALKED_SHARE = 0.3

/**
 * WALK: users go to working files, by the hash of their key: those who may be in the file, and those who may be absent from it. The records
 * of the latter are read later, and only if lists do not show whether the file is about them.
 */
export async function* walkStage(check: FileCheck, plan: Plan, begun: FileWork): AsyncGenerator<Found> {
  const { checking, files } = check
  const isBegun = begun.after !== null
  let at = isBegun ? begun : await planned(check, begun)
  if (at.walk === 'NONE') return yield { verdicts: [], at: { file: { ...at, stage: 'JOIN' } } }
  const among = await whoIsAskedFor(check, plan, at)
  const total = plan.position.total + (isBegun ? 0 : await countUsers(checking.context, listsOf(noFilter)))
  let { looked } = plan.position
  let box = filling(at.parts)
  let shownAt = performance.now()
  const step = async (more: Partial<FileWork> = {}): Promise<Found> => {
    const names = box.records() > 0 ? [...at.users, await putWork(files, 'u', box.whole())] : at.users
    at = { ...at, users: names, ...more }
    box = filling(at.parts)
    shownAt = performance.now()
    return { verdicts: [], at: { file: at, looked, total } }
  }
  for await (const some of await usersIn(check, among, at)) {
    const scope = at.scope + (await addUsers(check, among, some, box))
    looked += some.looked
    at = { ...at, scope, after: some.after }
    if (box.bytes() >= MOST_WORK_FILE_BYTES || performance.now() - shownAt >= SHOWN_MS) yield await step()
  }
  yield await step({ stage: 'JOIN' })
}

/** Users who are looked at: the records of some are read, others have only been seen in a list. */
type Seen = { read: string[]; listed: Item[]; scope: number; looked: number; after: string }

type Among = Awaited<ReturnType<typeof whoIsAskedFor>>

/** Adds users to a working file. Returns how many of them the file is about, if it says so: limits are shares of these. */
async function addUsers(
  check: FileCheck,
  { holds, isInFile }: Among,
  { read, listed, scope }: Seen,
  box: Filling,
): Promise<number> {
  const { absent, match_by } = check.request
  let matches = 0
  const add = (user: UserRecord, name: string, isMatch: boolean): void => {
    const mark = markOfName(name)
    if (isInFile(mark)) box.add(partOf(mark, box.parts), keptUser(user, isMatch))
    else if (isMatch && mayBeAbsent(check, user)) box.add(partOf(mark, box.parts), listedUser(user.id))
  }
  for await (const user of recordsWith(check, read)) {
    const isMatch = absent !== 'KEEP' && user.status !== 'PENDING_DELETION' && (await holds(user))
    matches += Number(isMatch)
    const name = keyNameOf(match_by, user)
    if (name !== undefined) add(user, name, isMatch)
  }
  for (const row of listed) box.add(partOf(markIn(match_by, row) ?? 0, box.parts), listedUser(keys.userOfRow(row)))
  return scope + matches
}

const listedUser = (id: string): ListedUser => ({ i: id })

/** The users with these ids who are not gone, as they were a moment ago. */
async function* recordsWith({ checking: { context } }: FileCheck, ids: readonly string[]): AsyncGenerator<UserRecord> {
  for (const some of chunksOf(ids, USERS_AT_ONCE)) {
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

/** The ids of those whom a file is about, if an index shows that they are few. Of lists all rows are looked at anyway. */
const fewIdsOf = async (store: Store, select: NonNullable<Plan['request']['select']>): Promise<string[] | undefined> =>
  isOfLists(select) ? undefined : fewIds(store, select)

/** The users whom a whole file is about. */
async function whoIsAskedFor(check: FileCheck, { id }: Plan, at: FileWork) {
  const { request, checking } = check
  const { work } = checking
  const isInFile = await marksOfFile(check, at)
  const select = request.absent_among ?? everybody
  const ids = 'user_ids' in select ? (await readIds(work.store, id)).sort() : await fewIdsOf(work.store, select)
  const known = ids && new Set(ids)
  const condition = await conditionOf(work.store, select)
  const holds = async (user: UserRecord): Promise<boolean> =>
    (known === undefined || known.has(user.id)) && (await condition(user)) !== undefined
  const mayMatch = rowMayMatch(select)
  return {
    ...{ select, ids, holds, isInFile },
    /** Whether a user is asked for; undefined if that needs the record. */
    isAskedFor: (row: Item): boolean | undefined => {
      const isPossible = known ? known.has(keys.userOfRow(row)) : mayMatch(row)
      return isPossible && !isOfLists(select) ? undefined : isPossible
    },
  }
}

/** The users who are looked at, in the order of their ids. */
async function usersIn(check: FileCheck, among: Among, work: FileWork): Promise<AsyncGenerator<Seen>> {
  const { store } = check.checking.work
  const { walk, after } = work
  if (walk === 'SCOPE' && among.ids) return usersWith(among.ids, after)
  return seenIn(check, among, work, walkRows(store, walk === 'SCOPE' ? among.select : everybody, after))
}

async function* usersWith(ids: readonly string[], after: string | null): AsyncGenerator<Seen> {
  const left = ids.filter((id) => after === null || id > after)
  for (const some of chunksOf(left, USERS_AT_ONCE))
    yield { read: some, listed: [], scope: 0, looked: some.length, after: some.at(-1) ?? '' }
}

async function* seenIn(
  check: FileCheck,
  among: Among,
  work: FileWork,
  pages: AsyncIterable<Item[]>,
): AsyncGenerator<Seen> {
  const look = looking(check, among, work)
  for await (const page of pages) {
    const rows = [...new Map(page.map((row) => [keys.userOfRow(row), row])).values()]
    const looks = rows.map(look)
    const having = (is: (one: Look) => boolean): Item[] => rows.filter((_, n) => is(looks[n] as Look))
    yield {
      read: having(({ isRead }) => isRead).map(keys.userOfRow),
      listed: having(({ isListed = false }) => isListed),
      scope: looks.filter(({ isAskedFor }) => isAskedFor).length,
      looked: page.length,
      after: keys.userOfRow(page.at(-1) as Item),
    }
  }
}

/** What a row of a list says: whether its user has to be read; if not, whether the file is about them, and whether they may be absent. */
type Look = { isRead: boolean; isAskedFor?: boolean; isListed?: boolean }

function looking(check: FileCheck, { isInFile, isAskedFor }: Among, work: FileWork): (row: Item) => Look {
  const { match_by, absent } = check.request
  const readsUnmarked = absent !== 'KEEP' || work.walk === 'ALL'
  return (row) => {
    const mark = markIn(match_by, row)
    const isAsked = absent === 'KEEP' ? false : isAskedFor(row)
    const mayBeInFile = mark === undefined ? readsUnmarked : mark !== null && isInFile(mark)
    if (mayBeInFile || isAsked === undefined) return { isRead: true }
    const { status, role } = listOfName.get(String(row.list)) as UserList
    const hasKey = mark !== null
    const isListed = isAsked && hasKey && mayBeAbsent(check, { id: keys.userOfRow(row), status, role })
    return { isRead: false, isListed, isAskedFor: isAsked && status !== 'PENDING_DELETION' }
  }
}

/** Returns a test: whether a row of the file has a mark. */
async function marksOfFile({ files }: FileCheck, work: FileWork): Promise<(mark: number) => boolean> {
  const marks = new Uint32Array(work.keyed)
  let n = 0
  for await (const mark of recordsOf<number>(files, work.rows, marksPart(work))) marks[n++] = mark
  return matchingMarks(marks)
}

/** Which users are walked over, and how many there are of whom the limits are shares. */
async function planned({ checking: { context }, request }: FileCheck, work: FileWork): Promise<FileWork> {
  const all = await countUsers(context, listsOf({ ...noFilter, statuses: ['ACTIVE', 'LOCKED', 'DEACTIVATED'] }))
  if (request.absent === 'KEEP') return { ...work, walk: cheapest(request, work, all), scope: all }
  const isLarge = work.keyed >= FEW_ROWS && work.keyed * 2 >= all
  return { ...work, walk: isLarge ? 'ALL' : 'SCOPE', scope: 0 }
}

/** How the users of all rows are read with the fewest units. */
function cheapest({ match_by }: FileRequest, { keyed }: FileWork, users: number): Walk {
  if (match_by === 'ID' || keyed < FEW_ROWS || keyed < users * WALKED_SHARE) return 'NONE'
  return keyed * 2 >= users ? 'ALL' : 'MARKED'
}
