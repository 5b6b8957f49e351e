import { remembered } from '../base/memory.ts'
import type { Answer, Context } from '../request/context.ts'
import { ownTaskList, taskKey, taskOfAssignment } from '../table/keys.ts'
import { all } from '../table/reader.ts'
import { readGoneAssignments } from '../table/readWork.ts'
import type { Item } from '../table/store.ts'
import { stillCounts, taskState } from './task.ts'
import { countsOf } from './taskAssignment.ts'
import { type Summary, summaryOf } from './taskView.ts'

/**
 * Removals of assignments that are under way. Noted work is in one partition, and many users of an app ask for their summary at
 * once. So an instance that found no removals looks again after a second, and a new removal shows a second later at most.
 */
const removals = remembered(readGoneAssignments, { ms: 1000, isKept: (entries) => entries.length === 0 })

/** How far the caller has come with their own tasks: received ones and personal ones. */
export async function getOwnTaskSummary(context: Context): Promise<Answer<Summary>> {
  const { store, actorId } = context
  const rowsOf = (isAuthor: boolean) => all(store, { index: 'by_created_at', hash: ownTaskList(actorId, isAuthor) })
  const [received, authored, work] = await Promise.all([rowsOf(false), rowsOf(true), context.fromMemory(removals)])
  const personal = await Promise.all(authored.map(async (row) => ((await isPersonal(context, row)) ? [row] : [])))
  const mine = [...received.filter((row) => !isGone(row, work, actorId)), ...personal.flat()]
  return { status: 200, body: summaryOf(countsOf(mine.map(({ source }) => source))) }
}

/** Whether an assignment has been removed although it is still stored: the work that deletes it says so. */
const isGone = (row: Item, work: Awaited<ReturnType<typeof readGoneAssignments>>, user: string): boolean =>
  work.some(
    (entry) => entry.task === taskOfAssignment(row) && (entry.kind === 'gone-task' || entry.users.includes(user)),
  )

/** Whether the author of a task is its only recipient. */
async function isPersonal({ store, actorId }: Context, row: Item): Promise<boolean> {
  const state = taskState(await store.getEventual(taskKey(taskOfAssignment(row))))
  return state?.counts.count === 1 && stillCounts(state, actorId)
}
