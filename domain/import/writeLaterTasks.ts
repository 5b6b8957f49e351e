import { touched } from '../groups/groupAssignmentWrites.ts'
import { retrying } from '../retrying.ts'
import { sideBySide, slices } from '../sideBySide.ts'
import * as keys from '../store/keys.ts'
import type { Action, Item, Key } from '../store/store.ts'
import { unlessUnsettled } from '../tasks/addRecipients.ts'
import { countsOf, type ProgressStatus, stateOf, type TaskState, taskAssignmentItem } from '../tasks/task.ts'
import { countedOn } from '../tasks/taskWrites.ts'
import { isGone, type UserRecord, userOf } from '../users/userRecord.ts'
import { type ImportContext, needTime } from './importContext.ts'
import { type Lookup, lookup } from './lookup.ts'
import { patiently } from './patience.ts'
import type { LaterTask, Plan } from './plan.ts'
import { AT_ONCE, SLICE, TOGETHER } from './writeLater.ts'

/** Gives tasks that exist already the assignments that they lack. */
export async function writeLaterTasks({ context, laterTasks, summary }: Plan): Promise<void> {
  for (const slice of slices(laterTasks, SLICE)) {
    const stored = await lookup(context.store, slice.map(keyOf))
    const missing = slice.filter((one) => !stored(keyOf(one)))
    summary.task_assignments.unchanged += slice.length - missing.length
    await sideBySide(AT_ONCE, slices(missing, TOGETHER), async (some) => {
      needTime(context)
      await give(context, some)
      summary.task_assignments.created += some.length
    })
  }
}

const keyOf = ({ user_id, task_id }: LaterTask): Key => keys.taskAssignmentKey(user_id, task_id)

/** Writes assignments with their counts, for users and tasks as they are now; whoever changes meanwhile is read again. */
async function give(context: ImportContext, some: readonly LaterTask[]): Promise<void> {
  await retrying(async () => {
    const { store, now } = context
    const tasks = [...new Set(some.map(({ task_id }) => task_id))]
    const stored = await lookup(store, [
      ...some.flatMap((one) => [keyOf(one), keys.userKey(one.user_id)]),
      ...tasks.map(keys.taskKey),
    ])
    for (const task of tasks) {
      const state = stateOf(stored(keys.taskKey(task)))
      if (state) await unlessUnsettled(store, state)
    }
    const actions = actionsFor(some, stored, now)
    if (actions.length > 0) await patiently(() => store.write(actions))
  })
}

function actionsFor(some: readonly LaterTask[], stored: Lookup, now: string): Action[] {
  const given = new Map<TaskState, ProgressStatus[]>()
  const states = new Map(some.map(({ task_id }) => [task_id, stateOf(stored(keys.taskKey(task_id)))]))
  const users = new Map<string, UserRecord>()
  const puts = some.flatMap((one): Action[] => {
    const [user, state] = [stored(keys.userKey(one.user_id)), states.get(one.task_id)]
    if (!user || !state || isGone(userOf(user), now) || stored(keyOf(one))) return []
    users.set(one.user_id, userOf(user))
    given.set(state, [...(given.get(state) ?? []), one.progress_status])
    return [{ put: itemOf(one, { user, state, now }), if: 'attribute_not_exists(#pk)' }]
  })
  const counted = [...given].map(([state, all]) => countedOn(state, countsOf(all)))
  return [...puts, ...[...users.values()].map(touched), ...counted]
}

type Parties = { user: Item; state: TaskState; now: string }

const itemOf = ({ progress_status }: LaterTask, { user, state, now }: Parties): Item =>
  taskAssignmentItem(state.task, userOf(user), { progress_status, created_at: now, updated_at: now })
