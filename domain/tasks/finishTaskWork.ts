import { all, type Item, type Store } from '../store/store.ts'
import { dueTaskWork } from '../store/taskKeys.ts'
import { finishAdding } from './addRecipients.ts'
import { finishRemoval } from './removal.ts'

type WorkContext = { store: Store; now: string; timeLeft: () => number; log: (line: object) => void }

/** Work on tasks leaves this much of a run to whatever comes after it. */
const RESERVE_MS = 30_000

/** Finishes what calls that died, or had no time for all of it, have left to do for tasks. */
export async function finishTaskWork(context: WorkContext): Promise<void> {
  for (const entry of await all(context.store, dueTaskWork(context.now))) {
    if (context.timeLeft() < RESERVE_MS) return
    try {
      await finish(context, entry)
    } catch (error) {
      // The next run tries again; until then the others must not wait.
      context.log({ level: 'error', endpoint: 'purge', fault: (error as Error).name })
    }
  }
}

async function finish({ store, now }: WorkContext, entry: Item): Promise<void> {
  if (entry.kind === 'recipients') return finishAdding(store, entry, now)
  await finishRemoval(store, String(entry.task))
  // Where the task itself is gone, nothing was left to remove the entry.
  await store.write([{ delete: { pk: entry.pk, sk: entry.sk } }])
}
