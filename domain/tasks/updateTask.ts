import { isDeepStrictEqual } from 'node:util'
import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/tasks.ts'
import { type AppError, errorOf, type Found } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { every, is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import type { Action, Item } from '../table/store.ts'
import { recipientsOf } from '../table/taskKeys.ts'
import { noteAgain, workEntry } from '../table/work.ts'
import { unlessUnsettled } from './addRecipients.ts'
import { authored } from './authored.ts'
import { calendarFaults, type DueDate, type GivenDueDate, patchedDueDate } from './dueDate.ts'
import { release, reservation } from './externalId.ts'
import { readWholeTask } from './summary.ts'
import { counts, placesOfTask, type Task, type TaskState } from './task.ts'
import { type GivenBody, patchedBody, type TaskBody } from './taskBody.ts'
import { faultsOf, judgedTask, settingsFaults, unlessTooLarge } from './taskInput.ts'
import { finishMoving, isListed, moving, OWN_MOVES } from './taskPlaces.ts'
import { type TaskRecordView, viewTaskRecord } from './taskView.ts'
import { settled } from './taskWrites.ts'

type Patch = Input<typeof contracts.updateTask>['body']

/** Recipients that are moved along in the transaction of the change: beside the task and two reservations. */
const MOVED_ALONG = 97

/** What is wrong with the body of a patch that has other faults, too. */
export const wrongPatch = async (_context: Context, body: unknown): Promise<AppError | undefined> =>
  judgedPatch(body).fault

/**
 * What is wrong with a patch whatever it is merged with, and its body, clean. The recipients of a task that are sent back
 * with it are ignored, whatever they are.
 */
const judgedPatch = (patch: unknown): ReturnType<typeof judgedTask> => {
  const { body, due_at, settings } = (patch ?? {}) as Record<string, unknown>
  return judgedTask({ body, due_at, settings }, calendarFaults)
}

/** Changes a task, for its author; whatever its recipients have it sorted by moves along. */
export async function updateTask(
  context: Context,
  { path, body }: Input<typeof contracts.updateTask>,
): Promise<Answer<TaskRecordView>> {
  const { store, actorId, now } = context
  const { fault, body: clean } = judgedPatch(body)
  if (fault) throw fault
  return retrying(async () => {
    const [whole, own, rows] = await Promise.all([
      readWholeTask(store, path.task_id),
      store.get(keys.taskAssignmentKey(actorId, path.task_id)),
      store.query({ ...recipientsOf(path.task_id), limit: MOVED_ALONG + 1 }),
    ])
    const state = authored(context, whole)
    await unlessUnsettled(store, state)
    const task = patched(state.task, { ...body, clean }, now)
    if (task !== state.task) await write(context, state, { task, rows: rows.items })
    const isRecipient = own !== undefined && counts(state, actorId)
    return {
      status: 200,
      body: viewTaskRecord({ task, counts: state.counts, actorId, isRecipient, format: undefined }),
    }
  })
}

/** The task with what a patch says; itself where that changes nothing. */
function patched(task: Task, { clean, ...patch }: Patch & { clean: TaskBody }, now: string): Task {
  const { title = task.title, external_id = task.external_id, body, due_at, settings } = patch
  const after: Task = {
    ...task,
    title,
    external_id,
    body: body === undefined ? task.body : mergedBody(task.body, body, clean),
    due_at: due_at === undefined ? task.due_at : mergedDueDate(task.due_at, due_at),
    settings: settings === undefined ? task.settings : mergedSettings(task.settings, settings),
  }
  return isDeepStrictEqual(after, task) ? task : unlessTooLarge({ ...after, updated_at: now })
}

function mergedBody(stored: TaskBody, patch: GivenBody | null, clean: TaskBody): TaskBody {
  const { body, faults } = patchedBody(stored, patch, clean)
  return unlessFaulty(body, faultsOf('VALIDATION_ERROR', faults))
}

function mergedDueDate(stored: DueDate | null, patch: GivenDueDate | null): DueDate | null {
  const { due_at, faults } = patchedDueDate(stored, patch)
  return unlessFaulty(due_at, faultsOf('INVALID_DUE_DATE', faults))
}

function mergedSettings(stored: string | null, patch: Record<string, unknown> | null): string | null {
  if (patch === null) return null
  const merged = mergedBy(stored === null ? {} : JSON.parse(stored), patch)
  return unlessFaulty(JSON.stringify(merged), settingsFaults(merged, ', with the stored ones'))
}

function unlessFaulty<T>(value: T, faults: readonly Found[]): T {
  const fault = errorOf(faults)
  if (fault) throw fault
  return value
}

/** RFC 7396. The result has no prototype, so that no name in it means anything but itself. */
function mergedBy(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const merged: Record<string, unknown> = Object.create(null)
  for (const [name, value] of isRecord(target) ? Object.entries(target) : []) merged[name] = value
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = mergedBy(merged[name], value)
  }
  return merged
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Change = { task: Task; rows: readonly Item[] }

async function write(context: Context, before: TaskState, { task, rows }: Change): Promise<void> {
  const { store, now } = context
  const names = before.task.external_id === task.external_id ? [] : [...release(before.task), ...reservation(task)]
  // The index may not show all of them yet: only if it does, this is all there is to do.
  if (rows.length === before.counts.count && rows.length <= MOVED_ALONG) {
    await store.write([changed(before, task, true), ...names, ...rows.filter(isListed).map((row) => moving(row, task))])
    return
  }
  // If it was noted before, it stays as long due as it is: a run that is at it sees by the task's version that it is not done.
  const noted = noteAgain('places', task.id, { task: task.id }, now)
  await store.write([changed(before, task, false), ...names, noted])
  // It is changed: where this fails, the scheduled function does it.
  await finishMoving(context, workEntry('places', task.id, { task: task.id }, now), OWN_MOVES).catch(() => undefined)
}

/** The record, which is still as it was read; so are its recipients, if it matters. */
function changed({ version, changes }: TaskState, task: Task, withRecipients: boolean): Action {
  const { source, ...places } = { source: undefined, ...placesOfTask(task) }
  return {
    update: keys.taskKey(task.id),
    set: { ...places, ...(source === undefined ? {} : { source }), data: task },
    clear: source === undefined ? ['source'] : [],
    add: { version: 1 },
    if: every(settled, is({ version, ...(withRecipients ? { changes } : {}) })),
  }
}
