import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/tasks.ts'
import type { Answer, Context } from '../request/context.ts'
import { every, exists, is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import type { Action } from '../table/store.ts'
import { recipientsOf } from '../table/taskKeys.ts'
import { workEntry } from '../table/work.ts'
import { unlessUnsettled } from './addRecipients.ts'
import { authored } from './authored.ts'
import { release } from './externalId.ts'
import { readTask } from './task.ts'
import { finishDeletion, OWN_DELETIONS } from './taskDeletion.ts'
import { taskTombstone } from './taskTombstone.ts'
import { settled } from './taskWrites.ts'

/** Assignments that go with the task, in its own transaction. */
const GONE_ALONG = 96

/** Deletes a task, for its author. From here on it is gone for everybody; what hangs on it follows, all of it in any case. */
export async function deleteTask(
  context: Context,
  { path }: Input<typeof contracts.deleteTask>,
): Promise<Answer<undefined>> {
  const { store, now, newId } = context
  const id = path.task_id
  const work = workEntry('gone-task', newId(), { task: id }, now)
  let most = GONE_ALONG
  await retrying(async () => {
    const [state, rows] = await Promise.all([
      readTask(store, id),
      store.query({ ...recipientsOf(id), limit: GONE_ALONG }),
    ])
    const { task, version } = authored(context, state)
    if (state) await unlessUnsettled(store, state)
    // The index may still show somebody who has left: then the recipients follow later, one look at each of them.
    const some = rows.items.slice(0, most)
    most = 0
    const ended: Action = {
      update: keys.taskKey(id),
      set: { deleted_at: now },
      clear: ['data', 'list', 'by_location_or_due', 'by_username_or_change', 'source'],
      add: { count: -some.length },
      if: every(settled, is({ version })),
    }
    const gone = some.map(({ pk, sk }): Action => ({ delete: { pk, sk }, if: exists }))
    await store.write([ended, { put: work }, { put: taskTombstone(task, now) }, ...release(task), ...gone])
  })
  // It is decided: where this fails, the scheduled function does it.
  await finishDeletion(context, work, OWN_DELETIONS).catch(() => undefined)
  return { status: 204, body: undefined }
}
