import { StaleRead } from '../base/errors.ts'
import { inParallel } from '../base/parallel.ts'
import { decideAgain } from '../base/retry.ts'
import { keyOf } from '../table/actions.ts'
import { textOfKey } from '../table/items.ts'
import { SHARDS } from '../table/keys.ts'
import { pack } from '../table/pack.ts'
import type { Action, Item } from '../table/store.ts'
import { mergeCounts } from '../table/transactions.ts'
import { type ImportContext, requireTime } from './importContext.ts'
import { retryBusy } from './importRetries.ts'
import type { Conflict, FilePosition } from './importSummary.ts'

/**
 * One action. If its condition fails, `conflict` is in conflict; without `conflict`, or if `isOutdated` says so of the item found,
 * what was read is out of date.
 */
export type CheckedAction = { action: Action; conflict?: Conflict; isOutdated?: (found: Item | undefined) => boolean }

/** Actions for a record of the file. `property` of an action says which property is in conflict if its condition fails. */
export const actionsAt = (position: FilePosition, actions: readonly Action[]): CheckedAction[] =>
  actions.map((action) =>
    action.property === undefined ? { action } : { action, conflict: { ...position, property: action.property } },
  )

/** The actions that bring in one record, all in one transaction. `B` may also say what they leave out. */
export type Built = { actions: CheckedAction[] }

/** How records of one kind are written. */
type Writing<T, B extends Built> = {
  /** Waits before a transaction with this number of records is written. */
  beforeWrite?: ((records: number) => Promise<unknown>) | undefined
  /** Makes the actions for one record. They count in this shard. */
  build: (record: T, shard: number) => B
  /** The record without what is in conflict; undefined if nothing is left. `found` is the item whose condition failed. */
  without: (record: T, conflict: Conflict, found: Item | undefined) => T | undefined
  /** Reads records again, if what was read is out of date, and returns those that are left to write; by default all. */
  readAgain?: (records: T[]) => Promise<T[]>
  /** Counts what came in, of the `tried` records of a transaction. */
  count: (written: Piece<T, B>[], tried: number) => void
}

/** A record with its actions, which are in one transaction and count in one shard. */
export type Piece<T, B extends Built> = { record: T; shard: number; built: B }

/**
 * The most actions of a transaction locally: four users. Both local engines do one transaction at a time. With larger ones a
 * creation by the API takes more than three times as long as without an import; with smaller ones the import takes longer
 * (docs/performance.md).
 */
const ACTIONS_LOCALLY = 50

/** Brings in records: packs them into transactions, writes these, and leaves out what is in conflict. */
export function writeRecords<T, B extends Built>(
  context: ImportContext,
  records: readonly T[],
  writing: Writing<T, B>,
): Promise<void> {
  const { transactionsAtOnce = 1 } = context
  return inParallel(transactionsAtOnce, packed(context, records, writing), async (pieces) => {
    await writing.beforeWrite?.(pieces.length)
    writing.count(await writePieces(context, pieces, writing), pieces.length)
  })
}

const pieceOf = <T, B extends Built>({ build }: Writing<T, B>, record: T, shard: number): Piece<T, B> => ({
  record,
  shard,
  built: build(record, shard),
})

/** Groups records into transactions, each of one record at least. */
function* packed<T, B extends Built>(
  { actionsPerTransaction = ACTIONS_LOCALLY }: ImportContext,
  records: readonly T[],
  writing: Writing<T, B>,
): Generator<Piece<T, B>[]> {
  let pieces = new Map<T, Piece<T, B>>()
  const actionsOf = (record: T, transaction: number) => {
    const piece = pieceOf(writing, record, transaction % SHARDS)
    pieces.set(record, piece)
    return piece.built.actions.map(({ action }) => action)
  }
  for (const { pieces: some } of pack(records, actionsOf, { most: actionsPerTransaction })) {
    yield some.flatMap((record) => pieces.get(record) ?? [])
    // Of the next transaction, only the first record is built already.
    pieces = new Map([...pieces].slice(some.length))
  }
}

/** A condition of a transaction failed. If it is the condition of a counter, several records may need it. */
class InConflict extends Error {
  readonly needs: readonly { record: unknown; conflict: Conflict }[]
  readonly found: Item | undefined
  constructor(needs: InConflict['needs'], found: Item | undefined) {
    super('Others have changed what a record of the file needs')
    this.needs = needs
    this.found = found
  }
}

/**
 * Writes pieces in one transaction and returns those that came in. What is in conflict is left out, and the rest is written
 * again. Where several records need the condition that failed, each is written alone to find out which is in conflict.
 */
async function writePieces<T, B extends Built>(
  context: ImportContext,
  pieces: Piece<T, B>[],
  writing: Writing<T, B>,
): Promise<Piece<T, B>[]> {
  const { left, failure } = await writeOnce(context, pieces, writing)
  if (!failure) return left
  const needing = new Set(failure.needs.map(({ record }) => record))
  const [others, affected] = [
    left.filter(({ record }) => !needing.has(record)),
    left.filter(({ record }) => needing.has(record)),
  ]
  if (needing.size > 1) {
    const written: Piece<T, B>[] = []
    for (const some of [others, ...affected.map((piece) => [piece])])
      written.push(...(await writePieces(context, some, writing)))
    return written
  }
  const { conflict } = failure.needs[0] as { conflict: Conflict }
  const rest = affected.flatMap(({ record, shard }) => {
    const reduced = writing.without(record, conflict, failure.found)
    return reduced === undefined ? [] : [pieceOf(writing, reduced, shard)]
  })
  return writePieces(context, [...others, ...rest], writing)
}

/** Writes pieces, built anew when what was read is out of date. Returns those, and what was in conflict. */
async function writeOnce<T, B extends Built>(
  context: ImportContext,
  pieces: Piece<T, B>[],
  writing: Writing<T, B>,
): Promise<{ left: Piece<T, B>[]; failure?: InConflict }> {
  let [left, isFirst] = [pieces, true]
  const write = () =>
    decideAgain(async () => {
      if (!isFirst) left = await rebuilt(left, writing)
      isFirst = false
      const actions = actionsOf(left)
      if (actions.length > 0) await context.store.write(actions)
    })
  requireTime(context)
  try {
    await retryBusy(write)
    return { left }
  } catch (error) {
    if (error instanceof InConflict) return { left, failure: error }
    throw error
  }
}

async function rebuilt<T, B extends Built>(pieces: Piece<T, B>[], writing: Writing<T, B>): Promise<Piece<T, B>[]> {
  const [shard = 0] = pieces.map((piece) => piece.shard)
  const records = pieces.map(({ record }) => record)
  const left = (await writing.readAgain?.(records)) ?? records
  return left.map((record) => pieceOf(writing, record, shard))
}

/**
 * The actions of a transaction. A counter that several records count in is written once. Refusals are for callers of the
 * API; an import lists `property` instead.
 */
function actionsOf(pieces: readonly Piece<unknown, Built>[]): Action[] {
  const needs = new Map<string, { record: unknown; conflict: Conflict }[]>()
  const outdated = new Map<string, CheckedAction['isOutdated']>()
  const actions = pieces.flatMap(({ record, built }) =>
    built.actions.map(({ action: { otherwise: _refusal, ...action }, conflict, isOutdated }): Action => {
      const name = textOfKey(keyOf(action))
      if (action.if && conflict) needs.set(name, [...(needs.get(name) ?? []), { record, conflict }])
      if (isOutdated) outdated.set(name, isOutdated)
      return action
    }),
  )
  const all = mergeCounts(actions)
  if (!all) throw new Error('One transaction cannot write an item twice')
  return all.map((action) => {
    const name = textOfKey(keyOf(action))
    const shared = needs.get(name)
    if (!shared) return action
    return {
      ...action,
      otherwise: (found) => (outdated.get(name)?.(found) ? new StaleRead() : new InConflict(shared, found)),
    }
  })
}
