import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/tasks.ts'
import { readChannel } from '../channels/channel.ts'
import { memberIds, rolesOn } from '../channels/members.ts'
import type { Answer, Context } from '../context.ts'
import { refuse } from '../errors.ts'
import { readTree } from '../groups/tree.ts'
import { retrying } from '../retrying.ts'
import { readRole } from '../roles/role.ts'
import { rolesOfUser, taskAssignmentKey } from '../store/keys.ts'
import { all } from '../store/store.ts'
import { readUser, type UserRecord } from '../users/userRecord.ts'
import { AT_ONCE, beginAdding, finishAdding, unlessUnsettled } from './addRecipients.ts'
import { authored } from './authored.ts'
import { readWholeTask, type Summary, summaryOf } from './summary.ts'
import type { TaskState } from './task.ts'
import { assignmentCreation, countedOn, newOnes } from './taskWrites.ts'

type SummaryAnswer = Promise<Answer<Summary>>

/** How many entries of work a call does itself, some 2,900 recipients; the schedule does the rest. */
const OWN_ENTRIES = 6

/** Gives a task to one more user, or to the members of a channel, for its author. */
export const addTaskRecipient = (
  context: Context,
  { path, body: { recipient } }: Input<typeof contracts.addTaskRecipient>,
): SummaryAnswer =>
  recipient.type === 'USER'
    ? addUsers(context, path.task_id, { ids: [recipient.id], property: 'recipient.id' })
    : addMembers(context, path.task_id, recipient.id)

/** Gives a task to up to a hundred more users, for its author; to none if one of them cannot get it. */
export const addTaskAssignments = (
  context: Context,
  { path, body }: Input<typeof contracts.addTaskAssignments>,
): SummaryAnswer => {
  const ids = new Set(body.user_ids.map((one) => (typeof one === 'string' ? one : one.id)))
  return addUsers(context, path.task_id, { ids: [...ids], property: 'user_ids' })
}

type Named = { ids: readonly string[]; property: string }

function addUsers(context: Context, task: string, { ids, property }: Named): SummaryAnswer {
  return retrying(async () => {
    const [whole, users] = await Promise.all([readWholeTask(context.store, task), candidates(context, task, ids)])
    const state = authored(context, whole)
    await unlessUnsettled(context.store, state)
    // Who has the task already may be whatever he is by now.
    const missing = users.flatMap(({ user, isAssigned }) => {
      if (isAssigned) return []
      if (user?.status !== 'ACTIVE') throw refuse('UNKNOWN_USER_ID', property)
      return [user]
    })
    return add(context, state, missing)
  })
}

function addMembers(context: Context, task: string, channelId: string): SummaryAnswer {
  return retrying(async () => {
    const { store, actorId } = context
    const [whole, channel, tree, own] = await Promise.all([
      readWholeTask(store, task),
      readChannel(store, channelId),
      readTree(store),
      all(store, rolesOfUser(actorId)),
    ])
    const state = authored(context, whole)
    if (channel?.channel.status !== 'ACTIVE') throw refuse('UNKNOWN_CHANNEL_ID', 'recipient.id')
    const roles = await Promise.all([...rolesOn(channel, tree, own)].map((role) => readRole(store, role)))
    if (!roles.some((role) => role?.predefined_role_type === 'CHANNEL_OWNER'))
      throw refuse('NOT_ADMIN_OF_CHANNEL', 'recipient.id')
    await unlessUnsettled(store, state)
    const others = [...(await memberIds(store, channel, tree))].filter((id) => id !== actorId)
    const members = await candidates(context, task, others)
    const missing = members.flatMap(({ user, isAssigned }) => (user?.status === 'ACTIVE' && !isAssigned ? [user] : []))
    return add(context, state, missing)
  })
}

/** Users, and whether they have the task already. */
const candidates = ({ store, now }: Context, task: string, ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const [user, item] = await Promise.all([readUser(store, id, now), store.get(taskAssignmentKey(id, task))])
      return { user, isAssigned: item !== undefined }
    }),
  )

async function add(context: Context, { task, counts }: TaskState, missing: readonly UserRecord[]): SummaryAnswer {
  const { store, now } = context
  if (missing.length === 0) return { status: 200, body: summaryOf(counts) }
  if (missing.length <= AT_ONCE) {
    const creations = missing.flatMap((user) => assignmentCreation(task, user, now))
    await store.write([...creations, countedOn(task.id, newOnes(missing.length))])
    return { status: 201, body: summaryOf({ ...counts, count: counts.count + missing.length }) }
  }
  const users = missing.map(({ id }) => id)
  const entries = await beginAdding(store, { task: task.id, users, now, id: context.newId() })
  for (const entry of entries.slice(0, OWN_ENTRIES)) await finishAdding(store, entry, now)
  const after = authored(context, await readWholeTask(store, task.id))
  return { status: 201, body: summaryOf(after.counts) }
}
