import { all, type Item, StaleRead, type Store } from '../store/store.ts'
import { dueTaskWork, workKeyAt } from '../store/taskKeys.ts'
import { finishAdding } from './addRecipients.ts'
import { finishRemoval } from './removal.ts'
import { finishDeletion } from './taskDeletion.ts'
import { finishMoving } from './taskPlaces.ts'

type WorkContext = { store: Store; now: string; timeLeft: () => number; log: (line: object) => void }

/** Work on tasks leaves this much of a run to whatever comes after it. */
const RESERVE_MS = 30_000

/** Finishes what calls that died, or had no time for all of it, have left to do for tasks. */
export async function finishTaskWork(context: WorkContext): Promise<void> {
  const due = await Promise.all(dueTaskWork(context.now).map((range) => all(context.store, range)))
  for (const entry of due.flat()) {
    if (context.timeLeft() < RESERVE_MS) return
    try {
      const taken = await takeUp(context, entry)
      if (taken) await finish(context, taken)
    } catch (error) {
      // A later run tries again; until then the others must not wait.
      const attempts = Number(entry.attempts ?? 0) + 1
      context.log({ level: 'error', endpoint: 'purge', work: entry.kind, attempts, fault: (error as Error).name })
    }
  }
}

/** After each attempt twice as long passes before the next one, up to six hours. */
const FIRST_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 6 * 3_600_000

/**
 * Counts an attempt before it is made: work that fails, or that a run dies of, comes up less and less often, and does not
 * keep the runs from the rest. Undefined if somebody has finished it meanwhile.
 */
async function takeUp({ store, now }: WorkContext, entry: Item): Promise<Item | undefined> {
  const attempts = Number(entry.attempts ?? 0) + 1
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempts)
  const key = workKeyAt(new Date(Date.parse(now) + wait).toISOString(), entry)
  const taken = { ...entry, ...key, attempts }
  try {
    await store.write([{ delete: { pk: entry.pk, sk: entry.sk }, if: 'attribute_exists(#pk)' }, { put: taken }])
    return taken
  } catch (error) {
    if (error instanceof StaleRead) return undefined
    throw error
  }
}

async function finish({ store, now }: WorkContext, entry: Item): Promise<void> {
  if (entry.kind === 'recipients') return finishAdding(store, entry, now)
  if (entry.kind === 'places') return finishMoving(store, entry)
  if (entry.kind === 'deletion') return finishDeletion(store, entry)
  await finishRemoval(store, String(entry.task))
  // Where the task itself is gone, nothing was left to remove the entry.
  await store.write([{ delete: { pk: entry.pk, sk: entry.sk } }])
}
