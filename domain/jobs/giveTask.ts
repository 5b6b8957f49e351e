import { retrying } from '../base/flow.ts'
import type { Answer, Context } from '../request/context.ts'
import { type Named, requireAll } from '../request/input.ts'
import { doOwn } from '../table/leases.ts'
import { activeMembers, type Recipients, readActiveUser, readChannelAccess, unknownUser } from '../tasks/recipients.ts'
import { readWholeTask, requireAuthored, type TaskState } from '../tasks/task.ts'
import { RECIPIENTS_AT_ONCE, taskAssignments } from '../tasks/taskAssignment.ts'
import { type TaskSummary, taskSummaryOf } from '../tasks/taskView.ts'
import { additionOf, finishAdding } from './addRecipients.ts'
import { beginAdding, requireSettled } from './notedRecipients.ts'

/** Gives a task to users, for its author: to all of them, or to none if one of them is not active. */
export function addUsers(context: Context, task: string, named: Named): Promise<Answer<TaskSummary>> {
  const { store } = context
  return retrying(async () => {
    const [whole, found] = await Promise.all([
      readWholeTask(store, task),
      Promise.all([...named.keys()].map((id) => candidate(context, task, id))),
    ])
    const state = requireAuthored(context, whole)
    await requireSettled(store, state)
    const users = requireAll(named, found, unknownUser).filter((user) => user !== 'ASSIGNED')
    return add(context, state, { ids: users.map(({ id }) => id), users })
  })
}

/** A user who is active. One who has the task already may be in any state. */
async function candidate(context: Context, task: string, id: string) {
  const [user, held] = await Promise.all([readActiveUser(context, id), taskAssignments.read(context.store, id, task)])
  return held ? 'ASSIGNED' : user
}

/** Gives a task to the active members of a channel who lack it, for its author. */
export function addMembers(context: Context, task: string, channelId: string): Promise<Answer<TaskSummary>> {
  return retrying(async () => {
    const [whole, access] = await Promise.all([
      readWholeTask(context.store, task),
      readChannelAccess(context, channelId),
    ])
    const state = requireAuthored(context, whole)
    const missing = await activeMembers(context, access, { property: 'recipient.id', task })
    await requireSettled(context.store, state)
    return add(context, state, missing)
  })
}

async function add(context: Context, state: TaskState, { ids, users }: Recipients): Promise<Answer<TaskSummary>> {
  const { store, now } = context
  const { task, counts } = state
  if (ids.length === 0) return { status: 200, body: taskSummaryOf(counts) }
  if (ids.length <= RECIPIENTS_AT_ONCE) {
    await store.write(additionOf(state, users, now))
    return { status: 201, body: taskSummaryOf({ ...counts, count: counts.count + ids.length }) }
  }
  const entries = await beginAdding(store, { task, users: ids, now, id: context.newId() }, state.last)
  await doOwn(context, entries, finishAdding)
  const after = requireAuthored(context, await readWholeTask(store, task.id))
  return { status: 201, body: taskSummaryOf(after.counts) }
}
