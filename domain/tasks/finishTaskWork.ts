import { type Kind, type Outcome, type Scheduled, workThrough } from '../jobs/workThrough.ts'
import { all, type Item } from '../table/store.ts'
import { dueOfWork, dueTaskWork, workAt } from '../table/taskKeys.ts'
import type { Work } from '../table/work.ts'
import { finishAdding } from './addRecipients.ts'
import { finishRemoval } from './removal.ts'
import { finishDeletion } from './taskDeletion.ts'
import { finishMoving } from './taskPlaces.ts'

/** Recipients to add, to move and to remove; how a piece of that goes on is in its own file. */
const taskWork: Kind = { name: 'tasks', atOnce: 1, spares: 22_000, dueOf: dueOfWork, dueAt: workAt, finish }

/** Finishes what calls that died, or had no time for all of it, have left to do for tasks. */
export async function finishTaskWork(context: Scheduled): Promise<Outcome> {
  const ranges = dueTaskWork(context.clock().toISOString())
  const due = await Promise.all(ranges.map((range) => all(context.store, range)))
  return workThrough(context, taskWork, due.flat())
}

async function finish(work: Work, entry: Item): Promise<void> {
  if (entry.kind === 'recipients') return finishAdding(work, entry)
  if (entry.kind === 'places') return finishMoving(work, entry)
  if (entry.kind === 'deletion') return finishDeletion(work, entry)
  await finishRemoval(work.store, String(entry.task))
  // Where the task itself is gone, nothing was left to remove the entry.
  await work.store.write([{ delete: { pk: entry.pk, sk: entry.sk } }])
}
