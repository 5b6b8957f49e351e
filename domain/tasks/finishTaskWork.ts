import { all, happened, type Item } from '../store/store.ts'
import { dueOfWork, dueTaskWork, workKeyAt } from '../store/taskKeys.ts'
import { compareBytes } from '../text.ts'
import { finishAdding } from './addRecipients.ts'
import { finishRemoval } from './removal.ts'
import { finishDeletion } from './taskDeletion.ts'
import { finishMoving } from './taskPlaces.ts'
import { isLate, type Work } from './taskWork.ts'

type Scheduled = Work & { log: (line: object) => void }

/** Work on tasks leaves this much of a run to whatever comes after it. */
const FOR_OTHERS_MS = 22_000

/** Finishes what calls that died, or had no time for all of it, have left to do for tasks. */
export async function finishTaskWork(context: Scheduled): Promise<void> {
  const work = { ...context, timeLeft: () => context.timeLeft() - FOR_OTHERS_MS }
  const due = await Promise.all(dueTaskWork(context.now).map((range) => all(context.store, range)))
  const inOrder = due.flat().sort((a, b) => compareBytes(dueOfWork(a), dueOfWork(b)))
  for (const entry of inOrder) {
    if (isLate(work)) return
    try {
      await attempt(work, entry)
    } catch (error) {
      // A later run tries again; until then the others must not wait.
      const attempts = Number(entry.attempts ?? 0) + 1
      context.log({ level: 'error', endpoint: 'purge', work: entry.kind, attempts, fault: (error as Error).name })
    }
  }
}

async function attempt(work: Work, entry: Item): Promise<void> {
  const taken = await takeUp(work, entry)
  if (!taken) return
  await finish(work, taken)
  if (isLate(work)) await putBack(work, taken)
}

/** After each attempt twice as long passes before the next one, up to six hours. */
const FIRST_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 6 * 3_600_000

/**
 * Counts an attempt before it is made: work that fails, or that a run dies of, comes up less and less often, and does not
 * keep the runs from the rest. Undefined if somebody has finished it meanwhile.
 */
async function takeUp(work: Work, entry: Item): Promise<Item | undefined> {
  const attempts = Number(entry.attempts ?? 0) + 1
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempts)
  const key = workKeyAt(new Date(Date.parse(work.now) + wait).toISOString(), entry)
  const taken = { ...entry, ...key, attempts }
  return (await rekeyed(work, entry, taken)) ? taken : undefined
}

/** What there was no time left for has not failed: the next run goes on with it, after what has waited longer. */
async function putBack(work: Work, { pk, sk }: Item): Promise<void> {
  const left = await work.store.get({ pk, sk })
  if (left) await rekeyed(work, left, { ...left, ...workKeyAt(work.now, left), attempts: 0 })
}

/** Notes work under another key; false where somebody else has done that, or has moved it on. */
function rekeyed({ store }: Work, { pk, sk, left }: Item, put: Item): Promise<boolean> {
  const same = left === undefined ? { if: 'attribute_exists(#pk)' } : { if: '#left = :left', values: { left } }
  return happened(store.write([{ delete: { pk, sk }, ...same }, { put }]))
}

async function finish(work: Work, entry: Item): Promise<void> {
  if (entry.kind === 'recipients') return finishAdding(work, entry)
  if (entry.kind === 'places') return finishMoving(work, entry)
  if (entry.kind === 'deletion') return finishDeletion(work, entry)
  await finishRemoval(work.store, String(entry.task))
  // Where the task itself is gone, nothing was left to remove the entry.
  await work.store.write([{ delete: { pk: entry.pk, sk: entry.sk } }])
}
