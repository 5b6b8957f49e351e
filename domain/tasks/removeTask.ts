import { chunksOf } from '../base/parallel.ts'
import { succeeded } from '../table/actions.ts'
import { absent, either, has } from '../table/expressions.ts'
import { keyIn } from '../table/items.ts'
import { ofTask, recipientsOf, taskKey, taskTombstoneKey } from '../table/keys.ts'
import { mostThatFit } from '../table/pack.ts'
import { all } from '../table/reader.ts'
import { type Action, type Key, readEach } from '../table/store.ts'
import { endWork } from '../table/work.ts'
import type { Entry } from '../table/workKinds.ts'
import { inSteps, isShortOfTime, type Work } from '../work/steps.ts'
import { storedAssignmentDeletion } from './taskAssignment.ts'

/** Assignments deleted in one transaction, with the task that counts them. */
const ASSIGNMENTS_PER_TRANSACTION = mostThatFit({ each: 1, besides: 1, hasEvents: false })

/**
 * Removes the remains of a deleted task, as far as there is time. Its item counts the remaining assignments, so none is missed
 * because the index is late. Until the last one is removed, no new task can have the id.
 */
export const finishTaskDeletion = (work: Work, entry: Entry<'gone-task'>): Promise<unknown> =>
  inSteps(work, entry, async () => {
    const { store } = work
    const items = (await all(store, ofTask(entry.task))).filter(({ sk }) => sk !== taskTombstoneKey(entry.task).sk)
    const rest = items.find(({ sk }) => sk === taskKey(entry.task).sk)
    const others = items.filter((item) => item !== rest)
    const isOver = !rest || rest.data !== undefined || Number(rest.count) <= 0
    if (isOver) await store.write(rest && !rest.data ? ending(rest, [...others, entry]) : [endWork(entry)])
    // If the index does not show the others yet, the schedule continues later.
    return isOver || !(await removeSome(work, entry.task)) ? undefined : entry
  })

/** Removes the last items in one transaction. A second run may find a new task of the same id: that one stays. */
const ending = (rest: Key, others: readonly Key[]): Action[] => [
  { delete: keyIn(rest), if: either(absent, has('deleted_at')) },
  ...others.map((key) => ({ delete: keyIn(key) })),
]

/** Removes the assignments that the index shows; false if these were all removed already. */
async function removeSome(work: Work, id: string): Promise<boolean> {
  const { store } = work
  let isAny = false
  for (const some of chunksOf(await all(store, recipientsOf(id)), ASSIGNMENTS_PER_TRANSACTION)) {
    if (isShortOfTime(work)) break
    const items = await readEach(store, some)
    if (items.length === 0) continue
    isAny = true
    // Another run may have been faster: the next step reads what is left.
    await succeeded(store.write(removal(id, items)))
  }
  return isAny
}

const removal = (id: string, items: readonly Key[]): Action[] => [
  { update: taskKey(id), add: { count: -items.length }, if: has('deleted_at') },
  ...items.map(storedAssignmentDeletion),
]
