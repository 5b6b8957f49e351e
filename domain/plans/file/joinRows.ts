import { refuse } from '../../base/errors.ts'
import { chunksOf } from '../../base/parallel.ts'
import { isPast } from '../../base/text.ts'
import { isReference } from '../../base/values.ts'
import { readUser, type UserRecord, users } from '../../people/records/user.ts'
import { itemOfName, tombstoneKey, userKey } from '../../table/keys.ts'
import type { Item, Store } from '../../table/store.ts'
import { faultsIn, type Judged, type Judging, judgeRow, type Taken } from './judgeRow.ts'
import type { FileRow, RowFault, RowValues } from './row.ts'
import { fieldOfKey, keyNameOf, type MatchBy, nameOfKey, withoutKey } from './rowKey.ts'
import { isAsWanted, type SaidUser, saidOf } from './rowValues.ts'

// Rows and users of one part, by their keys.

/** A row as a working file has it: `f` are its faults. */
export type KeptRow = { r: number; k: string; v: RowValues; f?: RowFault[] }
export const keptRow = ({ row, values, faults }: FileRow, key: string): KeptRow => ({
  r: row,
  k: key,
  v: values,
  ...(faults.length > 0 ? { f: faults } : {}),
})

/** A user as a working file has them: `m` says whether they match the selection of whom the file is about, `p` that they are protected. */
export type KeptUser = { u: SaidUser; m?: true; p?: true }

/** A user who may be absent, as lists show it: their record is not read yet. */
export type ListedUser = { i: string }

/** The rows that have one key; only the first one is kept whole. */
type Keyed = { row: KeptRow; others: number[] }

export async function rowsByKey(by: MatchBy, rows: AsyncIterable<KeptRow>): Promise<Map<string, Keyed>> {
  const found = new Map<string, Keyed>()
  for await (const row of rows) {
    const name = nameOfKey(by, row.k)
    const first = found.get(name)
    if (first) first.others.push(row.r)
    else found.set(name, { row, others: [] })
  }
  return found
}

/** Users by the names of their keys, and the ids of those who were only seen in a list. One who was walked over twice is there once. */
export async function usersByKey(by: MatchBy, all: AsyncIterable<KeptUser | ListedUser>) {
  const walked = new Map<string, KeptUser>()
  const listed = new Set<string>()
  for await (const user of all) {
    const name = 'i' in user ? undefined : keyNameOf(by, user.u)
    if ('i' in user) listed.add(user.i)
    else if (name !== undefined) walked.set(name, user)
  }
  return { walked, listed }
}

/** What joining needs. */
type Joining = { judging: Judging; newId: () => string }

export type Joined = { judged: Judged[]; unchanged: number }

const ROWS_AT_ONCE = 90

/** Judges the rows of a part, some at a time. */
export async function* joined(
  joining: Joining,
  rows: ReadonlyMap<string, Keyed>,
  walked: ReadonlyMap<string, KeptUser>,
): AsyncGenerator<Joined & { rows: number }> {
  for (const some of chunksOf([...rows], ROWS_AT_ONCE)) {
    const found = await Promise.all(some.map(([name, keyed]) => joinOne(joining, name, keyed, walked.get(name))))
    const judged = await withHolders(
      joining.judging.context,
      found.flatMap((one) => one ?? []),
    )
    const unchanged = found.filter((one) => one === undefined).length
    yield { judged, unchanged, rows: some.reduce((sum, [, { others }]) => sum + 1 + others.length, 0) }
  }
}

/** Undefined if the row changes nothing. */
async function joinOne(
  joining: Joining,
  name: string,
  { row, others }: Keyed,
  walked: KeptUser | undefined,
): Promise<Judged[] | undefined> {
  const { judging } = joining
  if (others.length > 0) return [row.r, ...others].map((one) => repeated(judging, one, row.r, others[0] ?? 0))
  if (row.f) return [{ ...empty(row.r), faults: row.f.map((fault) => ({ row: row.r, ...fault })) }]
  const group = await groupIn(judging, row.v)
  const values = withoutKey(judging.options.match_by, row.v)
  const isAsIs = (user: SaidUser): boolean => isAsWanted(values, user, group)
  if (walked && isAsIs(walked.u)) return undefined
  const user = await userWith(joining, name, row, walked)
  if (user && isAsIs(saidOf(user))) return undefined
  const judged = await judgedWith(joining, row, user)
  for (const change of judged.changes) change.key = name
  return judged.changes.length > 0 || judged.faults.length > 0 ? [judged] : undefined
}

async function judgedWith({ judging, newId }: Joining, row: KeptRow, user: UserRecord | undefined): Promise<Judged> {
  const idTaken = user ? undefined : await takenId(judging, row)
  if (idTaken) return { ...empty(row.r), faults: faultsIn(judging.columns, row.r, idTaken) }
  return judgeRow(judging, { row: row.r, key: row.k, values: row.v }, user, newId())
}

const empty = (row: number): Judged => ({ row, user: '', changes: [], faults: [], takes: [], gives: [] })

function repeated({ columns, options }: Judging, row: number, first: number, second: number): Judged {
  const column = columns.headerOf(fieldOfKey[options.match_by])
  const other = row === first ? second : first
  const detail = `${column ?? fieldOfKey[options.match_by]} is the same as in row ${other}`
  return { ...empty(row), faults: [{ row, column, code: 'VALIDATION_ERROR', detail }] }
}

/** The group that a row names; undefined if it names none, or if that is a fault, which is found later. */
async function groupIn({ groupOf }: Judging, { primary_user_group: named }: RowValues): Promise<string | undefined> {
  return named === undefined ? undefined : groupOf(named).catch(() => undefined)
}

// Finding users.

/** The user who has the key of a row: as they were a moment ago, unless they have just come or moved. */
async function userWith(
  { judging }: Joining,
  name: string,
  { k }: KeptRow,
  walked: KeptUser | undefined,
): Promise<UserRecord | undefined> {
  const { context, options } = judging
  const { store, now } = context
  const by = options.match_by
  // What no key can be nobody has; it is refused with the other values.
  if (!isReference(k)) return undefined
  const isTheirs = (user: UserRecord | undefined): user is UserRecord =>
    user !== undefined && keyNameOf(by, user) === name && !isPast(user.deletion_at, now)
  const known = walked?.u.id ?? (await recentOwner(store, by, name, k))
  const recent = known === undefined ? undefined : await users.readEventual(store, known)
  if (isTheirs(recent)) return recent
  // Nobody is created, or found to be gone, by what was true a moment ago.
  const owner = by === 'ID' ? k : ownerIn(await store.get(itemOfName(name)), now)?.id
  const user = owner === undefined ? undefined : await readUser(store, owner, now)
  return isTheirs(user) ? user : undefined
}

const recentOwner = async (store: Store, by: MatchBy, name: string, key: string): Promise<string | undefined> =>
  by === 'ID' ? key : ((await store.getEventual(itemOfName(name)))?.['owner'] as string | undefined)

/** Who holds a name now by its reservation, and until when if they are pending deletion. */
export function ownerIn(item: Item | undefined, now: string): { id: string; until?: string } | undefined {
  const [owner, expires_at] = [item?.['owner'], item?.['expires_at']]
  if (typeof owner !== 'string') return undefined
  if (typeof expires_at !== 'string') return { id: owner }
  return isPast(expires_at, now) ? undefined : { id: owner, until: expires_at }
}

/** The refusal of an id that a row gives to somebody new, if anybody has or had it. */
async function takenId({ context, options }: Judging, { k, v }: KeptRow) {
  const id = options.match_by === 'ID' ? k : v.id
  if (!isReference(id)) return undefined
  const found = await Promise.all([context.store.get(userKey(id)), context.store.get(tombstoneKey(id))])
  return found.some(Boolean) ? refuse('USER_ID_ALREADY_EXISTS', 'id') : undefined
}

/** Rows with the present holders of the names that they take. */
async function withHolders({ store, now }: Judging['context'], judged: Judged[]): Promise<Judged[]> {
  return Promise.all(
    judged.map(async (one) => ({
      ...one,
      takes: await Promise.all(
        one.takes.map(async (taken): Promise<Taken> => {
          const holder = ownerIn(await store.get(itemOfName(taken.name)), now)
          if (!holder || holder.id === one.user) return taken
          return { ...taken, holder: holder.id, ...(holder.until ? { until: holder.until } : {}) }
        }),
      ),
    })),
  )
}
