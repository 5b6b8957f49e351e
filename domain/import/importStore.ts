import { setTimeout } from 'node:timers/promises'
import type { Section } from '../../schemas/contract.ts'
import { AppError, StoreBusy } from '../base/errors.ts'
import { decideAgain, retry, slices } from '../base/flow.ts'
import { SHARDS } from '../table/counters.ts'
import { type Action, type Item, type Key, keyOf, nameOf, type Store } from '../table/store.ts'
import { MOST_ACTIONS, mergeCounts, pack } from '../table/transactions.ts'
import { type Conflict, ImportStopped } from './importSummary.ts'

/** How far an import has come with a section, or with its checks. */
export type Progress = { section: Section | 'checks'; done: number; total: number }

/** What an import needs from outside. */
export type ImportContext = {
  store: Store
  /** `created_at` of what the import creates, and the moment that deadlines are compared with. */
  now: string
  newId: () => string
  /** The current time; without it, time passes from `now` on. */
  clock?: () => Date
  /** Milliseconds until the process is ended from outside; without it, that never happens. */
  timeLeft?: () => number
  /** Transactions written side by side; one if not given, as DynamoDB Local does one thing after the other. */
  atOnce?: number
  /** Actions of one transaction, events included; SHORT if not given. */
  together?: number
  /** Waits until so many more users may come; without it, there is no pace. */
  pace?: (users: number) => Promise<unknown>
  onProgress?: (progress: Progress) => void
}

/** An import stops this long before its time is over, so that the caller still gets an answer. */
const RESERVE_MS = 20_000

/** Stops an import that is running out of time. */
export function needTime({ timeLeft }: ImportContext): void {
  if (timeLeft && timeLeft() < RESERVE_MS)
    throw new ImportStopped('The time was too short for all of the directory: import it again to go on')
}

const ATTEMPTS = 8

/**
 * Repeats a write for about half a minute while the database is busy, or others change the same records. Only failures
 * after which nothing was written are repeated.
 */
export const patiently = <T>(work: () => Promise<T>): Promise<T> =>
  repeat(work, (error) => error instanceof StoreBusy || isRefused(error, 'CONCURRENT_MODIFICATION'))

const isRefused = (error: unknown, code: AppError['code']): boolean => error instanceof AppError && error.code === code

const repeat = <T>(work: () => Promise<T>, again: (error: unknown) => boolean): Promise<T> =>
  retry(work, { attempts: ATTEMPTS, again, wait: (attempt) => setTimeout(attempt * 1_000) })

/** Users a second of an import on AWS: half of what one list of users takes, so that the API keeps its share. */
const PACE = 500

/** How an import goes on AWS: four transactions at once, as large as they may be, at an even pace. */
export function onAws(): Required<Pick<ImportContext, 'atOnce' | 'together' | 'pace'>> {
  let next = 0
  return {
    atOnce: 4,
    together: MOST_ACTIONS,
    pace: (users) => {
      const start = Math.max(performance.now(), next)
      next = start + (users * 1_000) / PACE
      return setTimeout(Math.max(0, start - performance.now()))
    },
  }
}

/** What is stored under a key, of the keys that have been read. */
export type Lookup = (key: Key) => Item | undefined

/** Keys read at once: as many requests of 100 as the database answers side by side. */
const AT_ONCE = 1_200

/** Reads all of the keys. As reading changes nothing, it is repeated also when the database cannot be reached. */
export async function lookup(store: Pick<Store, 'get'>, keys: Iterable<Key>): Promise<Lookup> {
  const wanted = [...new Map([...keys].map((key) => [nameOf(key), key])).values()]
  const found = new Map<string, Item>()
  for (const slice of slices(wanted, AT_ONCE)) {
    const read = () => Promise.all(slice.map((key) => store.get(key)))
    for (const item of await repeat(read, (error) => isRefused(error, 'SERVICE_UNAVAILABLE')))
      if (item) found.set(nameOf(item), item)
  }
  return (key) => found.get(nameOf(key))
}

/** One action. If its condition fails, `at` says which conflict that is; without `at`, what was read is out of date. */
export type Part = { action: Action; at?: Conflict }

/** The actions that bring in one record of the file; they are written in one transaction. */
export type Piece<T> = { one: T; parts: Part[] }

/**
 * Three or four users. While DynamoDB Local does a transaction, all others wait. With larger ones a creation by the API takes
 * more than three times as long as without an import, with smaller ones the import takes longer (docs/performance.md).
 */
const SHORT = 40

/** Groups records into transactions, each of one record at least; each transaction counts in one shard. */
export function* packed<T>(
  { together = SHORT }: ImportContext,
  ones: Iterable<T>,
  build: (one: T, shard: number) => Piece<T>,
): Generator<Piece<T>[]> {
  let built = new Map<T, Piece<T>>()
  const actionsOf = (one: T, transaction: number) => {
    const piece = build(one, transaction % SHARDS)
    built.set(one, piece)
    return piece.parts.map(({ action }) => action)
  }
  for (const { pieces } of pack(ones, actionsOf, together)) {
    yield pieces.flatMap((one) => built.get(one) ?? [])
    // Only the first record of the next transaction is built already.
    built = new Map([...built].slice(pieces.length))
  }
}

/** A condition of a transaction failed: `owners` are the records that need it, several if it is that of a counter. */
class Obstructed extends Error {
  readonly owners: readonly { one: unknown; at: Conflict }[]
  readonly found: Item | undefined
  constructor(owners: Obstructed['owners'], found: Item | undefined) {
    super('Others have changed what a record of the file needs')
    this.owners = owners
    this.found = found
  }
}

/** The actions of a transaction. A counter that several records count in is written once. */
function actionsOf(pieces: readonly Piece<unknown>[]): Action[] {
  const owners = new Map<string, { one: unknown; at: Conflict }[]>()
  const actions = pieces.flatMap(({ one, parts }) =>
    parts.map(({ action: { otherwise: _ofTheApi, ...action }, at }): Action => {
      const name = nameOf(keyOf(action))
      if (action.if && at) owners.set(name, [...(owners.get(name) ?? []), { one, at }])
      return action
    }),
  )
  const all = mergeCounts(actions)
  if (!all) throw new Error('One transaction cannot write an item twice')
  return all.map((action) => {
    const sharing = owners.get(nameOf(keyOf(action)))
    return sharing ? { ...action, otherwise: (found) => new Obstructed(sharing, found) } : action
  })
}

type Ways<T> = {
  /** The piece without what is in conflict; undefined where nothing is left to write. */
  without: (piece: Piece<T>, at: Conflict, found: Item | undefined) => Piece<T> | undefined
  /** The pieces for what is stored now, after a read that was out of date. */
  again: (ones: T[]) => Promise<Piece<T>[]> | Piece<T>[]
}

/**
 * Writes pieces in one transaction and answers what came in. What is in conflict is left out, and the rest is written
 * again. Where several records share the condition that failed, each of them is written alone to find out.
 */
export async function writePieces<T>(context: ImportContext, pieces: Piece<T>[], ways: Ways<T>): Promise<T[]> {
  const { left, failed } = await attempted(context, pieces, ways)
  if (!failed) return left.map(({ one }) => one)
  const owners = new Set(failed.owners.map(({ one }) => one))
  const [others, inConflict] = [left.filter(({ one }) => !owners.has(one)), left.filter(({ one }) => owners.has(one))]
  if (owners.size > 1) {
    const written: T[] = []
    for (const some of [others, ...inConflict.map((piece) => [piece])])
      written.push(...(await writePieces(context, some, ways)))
    return written
  }
  const { at } = failed.owners[0] as { at: Conflict }
  const changed = inConflict.flatMap((piece) => ways.without(piece, at, failed.found) ?? [])
  return writePieces(context, [...others, ...changed], ways)
}

/** Writes pieces, made anew when what was read is out of date. Answers them, and the failure of one of their conditions. */
async function attempted<T>(
  context: ImportContext,
  pieces: Piece<T>[],
  { again }: Ways<T>,
): Promise<{ left: Piece<T>[]; failed?: Obstructed }> {
  let [left, isFirst] = [pieces, true]
  const write = () =>
    decideAgain(async () => {
      if (!isFirst) left = await again(left.map(({ one }) => one))
      isFirst = false
      const actions = actionsOf(left)
      if (actions.length > 0) await context.store.write(actions)
    })
  needTime(context)
  try {
    await patiently(write)
    return { left }
  } catch (error) {
    if (error instanceof Obstructed) return { left, failed: error }
    throw error
  }
}
