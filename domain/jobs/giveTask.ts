import { retrying } from '../base/flow.ts'
import type { Answer, Context } from '../request/context.ts'
import { type Named, requireAll } from '../request/input.ts'
import type { Store } from '../table/store.ts'
import { doOwn } from '../table/work.ts'
import { activeMembers, type Recipients, readActiveUser, readChannelAccess, unknownUser } from '../tasks/recipients.ts'
import { readWholeTask, requireAuthored, type Task, type TaskState } from '../tasks/task.ts'
import { RECIPIENTS_AT_ONCE, taskAssignments } from '../tasks/taskAssignment.ts'
import { type TaskSummary, taskSummaryOf } from '../tasks/taskView.ts'
import { additionOf, finishAdding } from './addRecipients.ts'
import { type Addition, beginAdding, readAdditions, requireSettled } from './notedRecipients.ts'

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

async function add(context: Context, state: TaskState, wanted: Recipients): Promise<Answer<TaskSummary>> {
  const { store, now } = context
  const { task, counts } = state
  const noted = await readAdditions(store, state)
  const { ids, users } = counts.left ? await lacking(store, task, noted, wanted) : wanted
  if (ids.length === 0 && !counts.left) return { status: 200, body: taskSummaryOf(counts) }
  if (ids.length > 0 && ids.length === users.length && ids.length <= RECIPIENTS_AT_ONCE) {
    await store.write(additionOf(state, users, now))
    return { status: 201, body: taskSummaryOf({ ...counts, count: counts.count + ids.length }) }
  }
  const added = { task, users: ids, now, id: context.newId() }
  const entries = ids.length === 0 ? [] : await beginAdding(store, added, state.last)
  // Those of a call before this one, too: it may have died.
  await doOwn(context, [...noted, ...entries], finishAdding)
  const after = requireAuthored(context, await readWholeTask(store, task.id))
  return { status: ids.length === 0 ? 200 : 201, body: taskSummaryOf(after.counts) }
}

/** The users who neither have a task nor are noted for it. A user noted twice would be counted twice. */
async function lacking(
  store: Store,
  task: Task,
  noted: readonly Addition[],
  { ids, users }: Recipients,
): Promise<Recipients> {
  const coming = new Set(noted.flatMap((entry) => entry.users))
  const others = ids.filter((id) => !coming.has(id))
  // Some may have got it between the reads of their assignments and of the entries.
  const held = await Promise.all(others.map((id) => taskAssignments.read(store, id, task.id)))
  const missing = new Set(others.filter((_, nth) => !held[nth]))
  return { ids: [...missing], users: users.filter(({ id }) => missing.has(id)) }
}
