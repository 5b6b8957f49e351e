import { AppError } from '../base/errors.ts'
import { chunksOf, inParallel } from '../base/parallel.ts'
import { decideAgain } from '../base/retry.ts'
import * as keys from '../table/keys.ts'
import type { Item } from '../table/store.ts'
import type { Entry } from '../table/workKinds.ts'
import { addNoted, noteRecipients, readNoted, writeNewTask } from '../tasks/addRecipients.ts'
import { readTask, type Task, taskState } from '../tasks/task.ts'
import { RECIPIENTS_AT_ONCE, taskAssignments } from '../tasks/taskAssignment.ts'
import type { Work } from '../work/steps.ts'
import { type Draft, type NewTask, presentUser, type Recipient } from './draft.ts'
import { type ImportContext, requireTime } from './importContext.ts'
import { retryBusy } from './importRetries.ts'
import { countConflict, countKept, differing } from './importSummary.ts'
import { lookup } from './lookup.ts'

/** Tasks that are written at the same time. */
const TASKS_AT_ONCE = 2
/** Recipients of a stored task that are looked up at once. */
const LOOKED_UP_AT_ONCE = 1_000

/** Brings in the tasks of a draft: each with some recipients in its transaction, the others as noted work. */
export async function writeTasks(draft: Draft): Promise<void> {
  const { context, tasks } = draft
  let done = 0
  await inParallel(TASKS_AT_ONCE, tasks, async (task) => {
    requireTime(context)
    await writeTask(draft, task)
    context.onProgress?.({ section: 'tasks', done: ++done, total: tasks.length })
  })
}

async function writeTask(draft: Draft, { task, index }: NewTask): Promise<void> {
  const { context, summary } = draft
  const recipients = draft.recipients.get(task.id) ?? []
  const beginning = { id: context.newId(), recipients }
  const outcome = await retryBusy(() => decideAgain(() => createdWith(draft, task, beginning))).catch(conflictOf)
  if (outcome.kind === 'conflict' && outcome.property === 'id' && (await isStored(context, task))) {
    // Another import of the same file was faster.
    return countKept(summary, { section: 'tasks', index }, [])
  }
  draft.recipients.delete(task.id)
  const count = outcome.kind === 'created' ? outcome.count : 0
  summary.task_assignments.created += count
  summary.task_assignments.skipped += recipients.length - count
  if (outcome.kind === 'conflict')
    return countConflict(summary, { section: 'tasks', index, property: outcome.property })
  summary.tasks[outcome.kind]++
  if (outcome.kind === 'created') await finish(context, outcome.entries)
}

/** What became of a new task: `count` recipients get it, `entries` are noted work; or others have taken its id or external id. */
type TaskOutcome =
  | { kind: 'created'; count: number; entries: Entry<'recipients'>[] }
  | { kind: 'skipped' }
  | { kind: 'conflict'; property: string }

function conflictOf(error: unknown): TaskOutcome {
  const property = error instanceof AppError ? error.property : undefined
  if (property === 'id' || property === 'external_id') return { kind: 'conflict', property }
  throw error
}

type Beginning = { id: string; recipients: readonly Recipient[] }

/** Creates a task for its recipients that exist; skips it if none exists, or its author is gone. */
async function createdWith(draft: Draft, task: Task, { id, recipients }: Beginning): Promise<TaskOutcome> {
  const { context, users } = draft
  const living = recipients.filter(({ user_id }) => users.get(user_id)?.kind !== 'gone')
  const [next, later] = [living.slice(0, RECIPIENTS_AT_ONCE), living.slice(RECIPIENTS_AT_ONCE)]
  const stored = await lookup(
    context.store,
    next.map(({ user_id }) => keys.userKey(user_id)),
  )
  const first = next.flatMap(({ user_id }) => presentUser(draft, stored, user_id) ?? [])
  if (first.length === 0 || users.get(task.author_id)?.kind === 'gone') return { kind: 'skipped' }
  const ids = [...first.map((user) => user.id), ...later.map(({ user_id }) => user_id)]
  const addition = { ...additionFor(context, living), task, userIds: ids, id }
  return { kind: 'created', count: ids.length, entries: await writeNewTask(context.store, addition, first) }
}

/** As of when recipients get a task, and the progress that they begin with. */
const additionFor = ({ clock, now }: ImportContext, recipients: readonly Recipient[]) => ({
  now,
  begun: clock?.().toISOString() ?? now,
  progress: Object.fromEntries(recipients.map((one) => [one.user_id, one.progress_status ?? 'NEW'] as const)),
})

async function isStored({ store }: ImportContext, task: Task): Promise<boolean> {
  const state = taskState(await store.get(keys.taskKey(task.id)))
  const properties = ['external_id', 'title', 'body', 'author_id', 'due_at']
  return state !== undefined && differing(properties, task, state.task).length === 0
}

/** Gives tasks that are stored already the recipients that they lack, as noted work. */
export async function writeRecipients(draft: Draft): Promise<void> {
  for (const [task, recipients] of draft.recipients)
    for (const some of chunksOf(recipients, LOOKED_UP_AT_ONCE)) await addMissingRecipients(draft, task, some)
}

async function addMissingRecipients(draft: Draft, task: string, recipients: readonly Recipient[]): Promise<void> {
  const { context, summary } = draft
  const tally = summary.task_assignments
  // An earlier import may have died after it had noted them. The entries are read before the assignments: a user who has left the
  // entries by then has the assignment.
  const before = await readTask(context.store, task)
  const noted = before ? await readNoted(context.store, before) : []
  const notedIds = new Set(noted.flatMap(({ users }) => users))
  const stored = await lookup(context.store, [
    keys.taskKey(task),
    ...recipients.flatMap(({ user_id }) => [keys.taskAssignmentKey(user_id, task), keys.userKey(user_id)]),
  ])
  const state = taskState(stored(keys.taskKey(task)))
  const added = recipients.filter((one) => {
    const item = stored(keys.taskAssignmentKey(one.user_id, task))
    if (!state || !presentUser(draft, stored, one.user_id)) tally.skipped++
    else if (item) countStored(summary, one, item)
    else if (notedIds.has(one.user_id)) countKept(summary, { section: 'task_assignments', index: one.index }, [])
    else return true
    return false
  })
  await finish(context, noted)
  if (!state || added.length === 0) return
  requireTime(context)
  const ids = added.map(({ user_id }) => user_id)
  const addition = { ...additionFor(context, added), task: state.task, userIds: ids, id: context.newId() }
  const entries = await retryBusy(() =>
    decideAgain(async () => noteRecipients(context.store, addition, (await readTask(context.store, task))?.last)),
  )
  tally.created += added.length
  await finish(context, entries)
}

/** Counts an assignment that is stored already: it stays as it is. */
function countStored(summary: Draft['summary'], { index, progress_status }: Recipient, item: Item): void {
  const stored = taskAssignments.of(item)?.progress_status
  const isSame = (progress_status ?? stored) === stored
  countKept(summary, { section: 'task_assignments', index }, isSame ? [] : ['progress_status'])
}

/** Does noted work as far as there is time; the schedule does the rest. */
async function finish(context: ImportContext, entries: readonly Entry<'recipients'>[]): Promise<void> {
  const { store, now, clock = () => new Date(now), timeLeft = () => Number.POSITIVE_INFINITY } = context
  const work: Work = { store, now, clock, timeLeft }
  for (const entry of entries) await retryBusy(() => addNoted(work, entry))
}
