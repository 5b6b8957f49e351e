import { isStoreDown, traceOf } from '../base/errors.ts'
import { chunksOf, inParallel } from '../base/parallel.ts'
import { decideAgain } from '../base/retry.ts'
import { organisations } from '../people/records/organisation.ts'
import { keyOf, succeeded } from '../table/actions.ts'
import { absent, exists, is } from '../table/expressions.ts'
import { textOfKey } from '../table/items.ts'
import { layoutKey, userCountRange } from '../table/keys.ts'
import { layouts, readLayout, storedLayout } from '../table/layout.ts'
import { readWork } from '../table/readWork.ts'
import type { Action, Item, Range, Store } from '../table/store.ts'
import { fits } from '../table/transactions.ts'
import { walkOn } from '../table/walk.ts'
import { afterCalls, endWork, recordProgress, workEntry } from '../table/work.ts'
import type { Entry } from '../table/workKinds.ts'
import { inSteps } from '../work/steps.ts'
import type { AttemptContext } from '../work/workThrough.ts'

/** One step from a layout of the table to the next: how old items get the form that new ones already have. */
type Migration = {
  /** The layout that it leads to, from the one before. */
  to: number
  /** The lists whose rows it goes through, one after the other. */
  through: readonly Range[]
  /**
   * What has to be written for a row; nothing if it has the new form already. Rows of an index lag behind: it reads the
   * record itself, and its actions expect the record as it was read.
   */
  change: (store: Store, row: Item) => Promise<Action[]>
}

/** All migrations that this version can do, one for each layout after the oldest that it accepts. The list is still empty. */
export const migrations: Migration[] = []

const ROWS_PER_PAGE = 100
const ROWS_PER_TRANSACTION = 25
const TRANSACTIONS_AT_ONCE = 4

const LAYOUT = 'layout'

/** How far a migration is, and why the last attempt failed; undefined once the table has the newest layout. */
export type MigrationProgress = { to: number; done: number; attempts: number; fault?: string | undefined }

/**
 * Notes the migration to the next layout that this version knows, unless the table has the newest one, or it is noted
 * already. Old functions write the old form until their last call is over, so the migration begins after that. With
 * `isAlone` no old functions run, and it begins at once.
 */
export async function noteMigration(
  store: Store,
  now: string,
  { isAlone = false } = {},
): Promise<MigrationProgress | undefined> {
  const layout = await readLayout(store)
  if (layout >= layouts.newest) return undefined
  const found = await readWork(store, 'migration', LAYOUT)
  if (found) return migrationProgress(found)
  const first = { to: layout + 1, part: 0, after: null, done: 0 }
  const taker = isAlone ? 'STREAM' : 'CALL'
  const entry = { ...workEntry('migration', LAYOUT, first, now, { taker }), due: afterCalls(now) }
  await succeeded(store.write([{ put: entry, if: absent }]))
  return migrationProgress(entry)
}

const migrationProgress = ({ to, done, attempts = 0, fault }: Entry<'migration'>): MigrationProgress => ({
  to,
  done,
  attempts,
  fault,
})

/**
 * Gives an empty table the newest layout, as it has nothing to migrate. Throws if this version does not know the layout of
 * the table, or how to get from it to the newest one.
 */
export async function prepareLayout(store: Store): Promise<void> {
  const { oldest, newest } = layouts
  const layout = await readLayout(store)
  if (layout < newest && (await isEmpty(store))) return store.write([await layoutChange(store, newest)])
  if (layout > newest) throw new Error(`The table has layout ${layout}, of a newer version: deploy that one.`)
  if (layout < oldest)
    throw new Error(`The table has layout ${layout}: deploy a version first that leads from it to layout ${oldest}.`)
}

/** Whether a table holds no directory yet. */
export async function isEmpty(store: Store): Promise<boolean> {
  const [organisation, counts] = await Promise.all([
    organisations.read(store),
    store.query({ ...userCountRange, limit: 1 }),
  ])
  return !organisation && counts.items.length === 0
}

/**
 * Goes on with a migration, as far as there is time, then with the next one, and ends the entry when the table has the
 * newest layout. May be repeated, also by two runs at once: one of them stops when the other is ahead.
 */
export async function finishMigration(work: AttemptContext, entry: Entry<'migration'>): Promise<void> {
  try {
    await inSteps(work, entry, (at) =>
      at.part < migrationTo(at.to).through.length ? changePage(work, at) : reachLayout(work, at),
    )
  } catch (error) {
    if (!isStoreDown(error)) await noteFault(work, entry, error)
    throw error
  }
}

/**
 * Writes why an attempt failed into the entry, for the deployment that waits for it. Only the error's name: its message may
 * quote data.
 */
async function noteFault({ store }: AttemptContext, { pk, sk }: Entry<'migration'>, error: unknown): Promise<void> {
  const { fault = 'Error' } = traceOf(error) as { fault?: string }
  await succeeded(store.write([{ update: { pk, sk }, set: { fault }, if: exists }]))
}

type Next = Entry<'migration'> | undefined

function migrationTo(layout: number): Migration {
  const found = migrations.find(({ to }) => to === layout)
  if (!found) throw new Error(`There is no migration to layout ${layout}`)
  return found
}

/** Changes the rows of the next page, and moves the entry on; undefined if another run has done so. */
async function changePage(work: AttemptContext, at: Entry<'migration'>): Promise<Next> {
  const { store, log } = work
  const { through, change } = migrationTo(at.to)
  const { items, position } = await walkOn(store, through, at, ROWS_PER_PAGE)
  await inParallel(TRANSACTIONS_AT_ONCE, chunksOf(items, ROWS_PER_TRANSACTION), (rows) =>
    changeRows(store, change, rows),
  )
  const next = { ...position, done: at.done + items.length }
  log({ level: 'info', work: 'migration', layout: at.to, rows: next.done })
  return (await succeeded(store.write([recordProgress(work, at, next, progressOf(at))])))
    ? { ...at, ...next }
    : undefined
}

/** Changes rows in one transaction; one by one if a call has changed one of them, or if there is too much to write. */
async function changeRows(store: Store, change: Migration['change'], rows: readonly Item[]): Promise<void> {
  const actions = (await Promise.all(rows.map((row) => change(store, row)))).flat()
  const keys = new Set(actions.map((action) => textOfKey(keyOf(action))))
  const isPossible = fits(actions) && keys.size === actions.length
  if (actions.length === 0 || (isPossible && (await succeeded(store.write(actions))))) return
  for (const row of rows)
    await decideAgain(async () => {
      const own = await change(store, row)
      if (own.length > 0) await store.write(own)
    })
}

/** Writes that the table has the next layout, and goes on to the one after it; undefined after the last. */
async function reachLayout(work: AttemptContext, at: Entry<'migration'>): Promise<Next> {
  const { store, log } = work
  const next = { to: at.to + 1, part: 0, after: null, done: 0 }
  const isLast = at.to >= layouts.newest
  const own = isLast ? endWork(at, progressOf(at)) : recordProgress(work, at, next, progressOf(at))
  const isReached = await succeeded(store.write([await layoutChange(store, at.to), own]))
  log({ level: 'info', work: 'migration', layout: at.to, rows: at.done, reached: isReached })
  return isReached && !isLast ? { ...at, ...next } : undefined
}

const progressOf = ({ to, part, done }: Entry<'migration'>) => ({ to, part, done })

/** The action that gives the table this layout; stale if the layout has changed since it was read. */
export async function layoutChange(store: Pick<Store, 'get'>, version: number): Promise<Action> {
  const data = await storedLayout(store)
  return { put: { ...layoutKey, data: { version } }, if: data ? is({ data }) : absent }
}
