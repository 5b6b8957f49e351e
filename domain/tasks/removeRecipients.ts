import { refuse, StaleRead } from '../base/errors.ts'
import { decideAgain } from '../base/retry.ts'
import type { Context } from '../request/context.ts'
import { removeWithoutEvent } from '../table/changes.ts'
import { is } from '../table/expressions.ts'
import { keyIn } from '../table/items.ts'
import { taskKey } from '../table/keys.ts'
import { mostThatFit } from '../table/pack.ts'
import type { Item, Store } from '../table/store.ts'
import { endWork, workEntry } from '../table/work.ts'
import type { Entry } from '../table/workKinds.ts'
import type { Work } from '../work/steps.ts'
import { doWorkOfCalls } from '../work/workOfCalls.ts'
import { countRemoved, readTask, type TaskState, taskState } from './task.ts'
import { countsIn, type TaskAssignment, taskAssignments } from './taskAssignment.ts'

// How users lose a task.
//
// In the call: up to 97 assignments are deleted in the transaction that counts them off the task. From 98 to 100 not all
// fit. Then the last ones are noted on the task as `gone`: from then on no reader counts them. An entry of work is noted
// with them.
//
// As noted work: finishRemoval deletes them. The next call that changes recipients does this first (finishEarlierRemoval).

/** Assignments in the transaction that counts them off the task, with its event; and the same with an entry of work. */
const REMOVED_AT_ONCE = mostThatFit({ each: 1, besides: 2, hasEvents: true })
const REMOVED_WITH_ENTRY = mostThatFit({ each: 1, besides: 3, hasEvents: true })

/**
 * Takes a task away from up to a hundred users. One assignment must remain. A condition of the transaction checks it, as
 * the count that was read may be outdated. Throws StaleRead if one of them has changed since it was read.
 */
export async function removeRecipients(
  context: Context,
  state: TaskState,
  assignments: readonly TaskAssignment[],
): Promise<void> {
  const { store } = context
  await finishEarlierRemoval(store, state)
  if (assignments.length <= REMOVED_AT_ONCE) {
    const users = assignments.map(({ user_id }) => user_id)
    const otherwise = (found: Item | undefined) => refusalOf(taskState(found), state)
    return store.write([
      ...assignments.map((one) => removeWithoutEvent(taskAssignments, one)),
      countRemoved(state, countsIn(assignments), { otherwise, users }),
    ])
  }
  const entry = await removeMost(context, state, assignments)
  await doWorkOfCalls(context, [entry], () => finishRemoval(store, state.task.id))
}

/**
 * Deletes as many assignments as fit into a transaction, and notes the others as gone. An unchanged `changes` counter proves
 * that those still exist.
 */
async function removeMost(
  { store, now, newId }: Context,
  before: TaskState,
  assignments: readonly TaskAssignment[],
): Promise<Entry<'gone-recipients'>> {
  const { task, recipientChanges } = before
  const direct = assignments.slice(0, REMOVED_WITH_ENTRY)
  const users = assignments.map(({ user_id }) => user_id)
  const goneUsers = users.slice(direct.length)
  const entry = workEntry('gone-recipients', newId(), { task: task.id, users: goneUsers }, now)
  const counted = countRemoved(
    before,
    { ...countsIn(direct), count: assignments.length },
    {
      set: { gone: { users: goneUsers, work: keyIn(entry) } },
      users,
      if: is({ changes: recipientChanges }),
      otherwise: (found) => {
        const state = taskState(found)
        return state && state.recipientChanges !== recipientChanges ? new StaleRead() : refusalOf(state, before)
      },
    },
  )
  await store.write([...direct.map((one) => removeWithoutEvent(taskAssignments, one)), counted, { put: entry }])
  return entry
}

/** Why a task cannot lose assignments. */
function refusalOf(state: TaskState | undefined, before: TaskState): Error {
  if (!state) return refuse('TASK_NOT_FOUND')
  return state.gone || state.last !== before.last ? new StaleRead() : refuse('TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION')
}

/**
 * Finishes a removal that an earlier call began, and throws StaleRead (then the caller decides again): changes of recipients
 * follow each other.
 */
export async function finishEarlierRemoval(store: Store, { gone, task }: TaskState): Promise<void> {
  if (!gone) return
  await finishRemoval(store, task.id)
  throw new StaleRead()
}

/** Removes the assignments that a task notes as gone. May be repeated, and two calls may do so at once. */
export function finishRemoval(store: Store, task: string): Promise<void> {
  return decideAgain(async () => {
    const gone = (await readTask(store, task))?.gone
    if (!gone) return
    const found = await Promise.all(gone.users.map((user) => taskAssignments.read(store, user, task)))
    const assignments = found.filter((one) => one !== undefined)
    // `count` is lowered already; `open` and `finished` are not, as recipients could still change their progress until now.
    const { open, finished } = countsIn(assignments)
    await store.write(
      [
        ...assignments.map((one) => removeWithoutEvent(taskAssignments, one)),
        {
          update: taskKey(task),
          clear: ['gone'],
          add: { open: -open, finished: -finished },
          if: is({ 'gone/work': gone.work }),
        },
        endWork(gone.work),
      ],
      'housekeeping',
    )
  })
}

/** Finishes the removal that an entry of work notes. */
export async function finishGoneRecipients({ store }: Work, entry: Entry<'gone-recipients'>): Promise<void> {
  await finishRemoval(store, entry.task)
  // If the task itself was deleted, the entry still exists.
  await store.write([endWork(entry)])
}
