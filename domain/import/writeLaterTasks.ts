import { sideBySide, slices } from '../base/sideBySide.ts'
import { requireSettled } from '../jobs/removeRecipients.ts'
import { absent } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import type { Action, Key } from '../table/store.ts'
import { countAdded, stateOf, type TaskState } from '../tasks/task.ts'
import { assignmentOf, countsOf, type ProgressStatus, taskAssignmentItem } from '../tasks/taskAssignment.ts'
import { bumpUserVersion, isGone, type UserRecord, users as userRecords } from '../users/user.ts'
import { countKept } from './differences.ts'
import { needTime } from './importContext.ts'
import { type Lookup, lookup } from './lookup.ts'
import { patiently } from './patience.ts'
import type { LaterTask, Plan } from './plan.ts'
import { AT_ONCE, SLICE, TOGETHER } from './writeLater.ts'

/** Gives tasks that exist already the assignments that they lack. */
export async function writeLaterTasks(plan: Plan): Promise<void> {
  const { context, laterTasks } = plan
  for (const slice of slices(laterTasks, SLICE)) {
    const stored = await lookup(context.store, slice.map(keyOf))
    const missing = slice.filter((one) => !stored(keyOf(one)))
    for (const one of slice) countStored(plan, one, stored)
    await sideBySide(AT_ONCE, slices(missing, TOGETHER), (some) => give(plan, some))
  }
}

/** Counts an assignment that is stored already: it stays as it is. */
function countStored({ summary }: Plan, one: LaterTask, stored: Lookup): void {
  const item = stored(keyOf(one))
  if (!item) return
  const isSame = (one.progress_status ?? assignmentOf(item).progress_status) === assignmentOf(item).progress_status
  countKept(summary, { section: 'task_assignments', index: one.index }, isSame ? [] : ['progress_status'])
}

const keyOf = ({ user_id, task_id }: LaterTask): Key => keys.taskAssignmentKey(user_id, task_id)

/** Writes assignments with their counts, for users and tasks as they are now; whoever changes meanwhile is read again. */
async function give(plan: Plan, some: readonly LaterTask[]): Promise<void> {
  const { store, now } = plan.context
  needTime(plan.context)
  const { judged, stored } = await retrying(async () => {
    const tasks = [...new Set(some.map(({ task_id }) => task_id))]
    const stored = await lookup(store, [
      ...some.flatMap((one) => [keyOf(one), keys.userKey(one.user_id)]),
      ...tasks.map(keys.taskKey),
    ])
    for (const task of tasks) {
      const state = stateOf(stored(keys.taskKey(task)))
      if (state) await requireSettled(store, state)
    }
    const judged = some.map((one) => ({ one, verdict: verdictOf(one, stored, now) }))
    const actions = actionsFor(
      judged.flatMap(({ one, verdict }) => (verdict === 'created' ? [one] : [])),
      stored,
      now,
    )
    if (actions.length > 0) await patiently(() => store.write(actions))
    return { judged, stored }
  })
  for (const { one, verdict } of judged)
    if (verdict === 'kept') countStored(plan, one, stored)
    else plan.summary.task_assignments[verdict]++
}

function verdictOf(one: LaterTask, stored: Lookup, now: string): 'created' | 'kept' | 'skipped' {
  const user = stored(keys.userKey(one.user_id))
  if (!user || isGone(userRecords.of(user) as UserRecord, now) || !stateOf(stored(keys.taskKey(one.task_id))))
    return 'skipped'
  return stored(keyOf(one)) ? 'kept' : 'created'
}

function actionsFor(some: readonly LaterTask[], stored: Lookup, now: string): Action[] {
  const given = new Map<TaskState, ProgressStatus[]>()
  const states = new Map(some.map(({ task_id }) => [task_id, stateOf(stored(keys.taskKey(task_id))) as TaskState]))
  const users = new Map<string, UserRecord>()
  const puts = some.map((one): Action => {
    const user = userRecords.of(stored(keys.userKey(one.user_id))) as UserRecord
    const state = states.get(one.task_id) as TaskState
    const progress_status = one.progress_status ?? 'NEW'
    users.set(one.user_id, user)
    given.set(state, [...(given.get(state) ?? []), progress_status])
    const put = taskAssignmentItem(state.task, user, { progress_status, created_at: now, updated_at: now })
    return { put, if: absent }
  })
  const counted = [...given].map(([state, all]) => countAdded(state, countsOf(all)))
  return [...puts, ...[...users.values()].map(bumpUserVersion), ...counted]
}
