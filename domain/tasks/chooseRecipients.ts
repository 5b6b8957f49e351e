import { readChannelAccess } from '../people/channels/channelMembers.ts'
import type { Answer, Context } from '../request/context.ts'
import type { Store } from '../table/store.ts'
import { doWorkOfCalls } from '../work/workOfCalls.ts'
import { readActiveUser, unknownUser } from './activeUser.ts'
import { addAtOnce, addNoted, noteRecipients, type RecipientsEntry, readNoted } from './addRecipients.ts'
import { activeMembers, type Recipients } from './channelRecipients.ts'
import { type NamedIds, requireAll } from './namedIds.ts'
import { finishEarlierRemoval } from './removeRecipients.ts'
import { readWholeTask, requireAuthored, type Task, type TaskState } from './task.ts'
import { RECIPIENTS_AT_ONCE, taskAssignments } from './taskAssignment.ts'
import { type TaskSummary, taskSummaryOf } from './taskView.ts'

// Which users get a task that its author gives to more users; addRecipients.ts says how they get it. Callers who are not its
// author get TASK_NOT_FOUND. If the task or a user changes meanwhile, StaleRead is thrown, and the endpoint decides again.

/** Gives a task to users: to all of them, or to none if one of them is not active. Users who have it already keep it. */
export async function giveToUsers(context: Context, task: string, named: NamedIds): Promise<Answer<TaskSummary>> {
  const { store } = context
  const [whole, found] = await Promise.all([
    readWholeTask(store, task),
    Promise.all([...named.keys()].map((id) => readCandidate(context, task, id))),
  ])
  const state = requireAuthored(context, whole)
  await finishEarlierRemoval(store, state)
  const users = requireAll(named, found, unknownUser).filter((user) => user !== 'ASSIGNED')
  return giveTo(context, state, { ids: users.map(({ id }) => id), firstUsers: users })
}

/** A user who is active; ASSIGNED for one who has the task already, whatever their status is. */
async function readCandidate(context: Context, task: string, id: string) {
  const [user, assignment] = await Promise.all([
    readActiveUser(context, id),
    taskAssignments.read(context.store, id, task),
  ])
  return assignment ? 'ASSIGNED' : user
}

/** Gives a task to the active members of a channel who do not have it. */
export async function giveToChannel(context: Context, task: string, channelId: string): Promise<Answer<TaskSummary>> {
  const [whole, access] = await Promise.all([readWholeTask(context.store, task), readChannelAccess(context, channelId)])
  const state = requireAuthored(context, whole)
  const members = await activeMembers(context, access, { property: 'recipient.id', task })
  await finishEarlierRemoval(context.store, state)
  return giveTo(context, state, members)
}

/**
 * Gives a task to these users: in one transaction if there are few, else as noted work. Also does what earlier calls have noted.
 * The answer is 201 if the task has new users, else 200.
 */
async function giveTo(context: Context, state: TaskState, wanted: Recipients): Promise<Answer<TaskSummary>> {
  const { store, now } = context
  const { task, counts } = state
  const noted = await readNoted(store, state)
  const { ids, firstUsers } = counts.left ? await withoutNoted(store, task, noted, wanted) : wanted
  if (ids.length === 0 && !counts.left) return { status: 200, body: taskSummaryOf(counts) }
  if (ids.length > 0 && ids.length === firstUsers.length && ids.length <= RECIPIENTS_AT_ONCE) {
    await addAtOnce(store, state, firstUsers, now)
    return { status: 201, body: taskSummaryOf({ ...counts, count: counts.count + ids.length }) }
  }
  const recipients = { task, userIds: ids, now, id: context.newId() }
  const entries = ids.length === 0 ? [] : await noteRecipients(store, recipients, state.last)
  // Also the entries of earlier calls: such a call may have died. If it still runs, conditions let only one of the two write
  // each step.
  await doWorkOfCalls(context, [...noted, ...entries], addNoted)
  const after = requireAuthored(context, await readWholeTask(store, task.id))
  return { status: ids.length === 0 ? 200 : 201, body: taskSummaryOf(after.counts) }
}

/** The users who neither have a task nor are noted for it. A user who is noted twice would be counted twice. */
async function withoutNoted(
  store: Store,
  task: Task,
  noted: readonly RecipientsEntry[],
  { ids, firstUsers }: Recipients,
): Promise<Recipients> {
  const notedIds = new Set(noted.flatMap((entry) => entry.users))
  const others = ids.filter((id) => !notedIds.has(id))
  // Some may have got it between the reads of their assignments and of the entries.
  const assignments = await Promise.all(others.map((id) => taskAssignments.read(store, id, task.id)))
  const missing = new Set(others.filter((_, nth) => !assignments[nth]))
  return { ids: [...missing], firstUsers: firstUsers.filter(({ id }) => missing.has(id)) }
}
