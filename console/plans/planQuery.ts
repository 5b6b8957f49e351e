// What a plan is in words, and what may be done with it in its state. Pure.
import type { Schemas } from '../data/api.ts'
import { type Texts, textOf } from '../texts/texts.ts'

export type Plan = Schemas['Plan']
export type Change = Schemas['PlanChange']
export type PlanState = Plan['state']
export type PlanKind = Plan['kind']

export const states: readonly PlanState[] = [
  'WAITING',
  'CHECKING',
  'READY',
  'REFUSED',
  'APPLYING',
  'DONE',
  'CANCELLED',
  'EXPIRED',
]

/** Whether a plan changes without anybody doing something. */
export const isUnderWay = ({ state }: Pick<Plan, 'state'>): boolean => state === 'CHECKING' || state === 'APPLYING'

const cancellable: readonly PlanState[] = ['WAITING', 'CHECKING', 'READY', 'APPLYING']
export const mayCancel = ({ state }: Pick<Plan, 'state'>): boolean => cancellable.includes(state)

/** Whether a file that was refused can be sent once more, with other choices. The form takes CSV alone. */
export const mayTryAgain = ({ state, kind, request }: Plan): boolean =>
  state === 'REFUSED' && kind === 'FILE' && request['format'] !== 'JSONL'

export const mayApply = ({ state, counts }: Plan): boolean => state === 'READY' && counts.planned > 0

/** Plans that take nothing back any more. */
const withoutEffect: readonly PlanState[] = ['CANCELLED', 'REFUSED', 'EXPIRED']
/** For so long the service keeps the values of a plan that was cancelled. */
const daysOfValues = 7

/**
 * Whether another plan may take this one back. `undo`: the state of the plan that takes it back, as far as there is one; undefined while that
 * is not known.
 */
export function mayUndo(plan: Plan, undo: PlanState | 'GONE' | undefined, now = Date.now()): boolean {
  const { state, counts, finished_at, undone_by } = plan
  const hasValues = state === 'DONE' || now < Date.parse(finished_at ?? '') + daysOfValues * 86_400_000
  const isFree = undone_by === null || undo === 'GONE' || (undo !== undefined && withoutEffect.includes(undo))
  return (state === 'DONE' || state === 'CANCELLED') && counts.done > 0 && hasValues && isFree
}

/** How long it can take until what was done before the end is counted. */
const msOfCounting = 10_000

/** Whether it was cancelled while it was applied, so short ago that its numbers may grow. */
export const isBeingCounted = ({ state, applied_at, finished_at }: Plan, now = Date.now()): boolean =>
  state === 'CANCELLED' && applied_at !== null && Math.abs(now - Date.parse(finished_at ?? '')) < msOfCounting

/** From so many changes on, or with a deletion among them, the number is typed in before they are made. */
const mostWithoutNumber = 100
export const needsNumber = ({ counts }: Plan, hasDeletions: boolean): boolean =>
  hasDeletions || counts.planned > mostWithoutNumber

export const tones = {
  WAITING: 'calm',
  CHECKING: 'calm',
  READY: 'warn',
  REFUSED: 'bad',
  APPLYING: 'calm',
  DONE: 'good',
  CANCELLED: 'calm',
  EXPIRED: 'calm',
} as const satisfies Record<PlanState, string>

/** Whether a plan is worked out and would change nothing: there is nothing to decide. */
export const hasNothingToDo = ({ state, counts }: Pick<Plan, 'state' | 'counts'>): boolean =>
  state === 'READY' && counts.planned === 0

export const stateText = (plan: Pick<Plan, 'state' | 'counts'>, { plans }: Texts): string =>
  hasNothingToDo(plan) ? plans.nothingToDo : plans.states[plan.state]
export const stateTone = (plan: Pick<Plan, 'state' | 'counts'>) => (hasNothingToDo(plan) ? 'calm' : tones[plan.state])

const made = ['creations', 'updates', 'lifecycle', 'assignments'] as const
const outcomeCounts = ['done', 'skipped', 'failed'] as const

/**
 * The numbers of a plan in words, those that are 0 left out. The service counts by kind what is planned: that is what was done only where
 * nothing was skipped.
 */
export function numbersOf({ state, counts, applied_at }: Plan, { plans }: Texts): [name: string, count: number][] {
  const isOver = state === 'DONE' || (state === 'CANCELLED' && applied_at !== null)
  const planned = made.map((name): [string, number] => [plans.countsPlanned[name], counts[name]])
  const really = made.map((name): [string, number] => [plans.counts[name], counts[name]])
  const outcomes = outcomeCounts.map((name): [string, number] => [plans.countsDone[name], counts[name]])
  const byKind = isOver ? (counts.done === counts.planned ? really : []) : planned
  const rows = (['unchanged', 'absent', 'faults'] as const).map((name): [string, number] => [
    plans.counts[name],
    counts[name],
  ])
  const faults: [string, number] = [plans.counts.faults, counts.faults]
  // What cannot be done has no numbers to look at.
  const all = state === 'REFUSED' ? [faults] : [...byKind, ...(applied_at === null ? [] : outcomes), ...rows]
  return all.filter(([, count]) => count > 0)
}

const notDoneBefore = 'A change that had to be made before this one was not made'

/** Why a change was not made. */
export function reasonOf({ request }: Plan, { action, error }: Change, { plans, errors }: Texts): string | undefined {
  if (error?.code !== 'CHANGED_SINCE') return error ? textOf(errors, error.code) : undefined
  if (error.detail === notDoneBefore) return plans.notDoneBefore
  if (action === 'CREATE') return textOf(plans.existsByNow, String(request['match_by'] ?? 'EXTERNAL_ID'))
  return errors.CHANGED_SINCE
}

export const outcomeTones = { PLANNED: 'calm', DONE: 'good', SKIPPED: 'warn', FAILED: 'bad' } as const

/** The name of an attribute in `attribute:NAME`; undefined for other fields. */
export const attributeIn = (field: string): string | undefined =>
  field.startsWith('attribute:') ? field.slice('attribute:'.length) : undefined

/**
 * The number of a row as a spreadsheet counts: the header is row 1 there, and the service counts from below it. In JSONL it is the line.
 * Undefined for what is about no row, and for what takes a plan back: its rows are those of another file.
 */
export function rowIn({ kind, request }: Pick<Plan, 'kind' | 'request'>, row: number | null): number | undefined {
  if (row === null || kind !== 'FILE') return undefined
  return request['format'] === 'JSONL' ? row : row + 1
}

const ofToken = 'service_token:'

/** The people who have made plans; service tokens make some, too. */
export const makersOf = (plans: readonly Pick<Plan, 'created_by'>[]): string[] =>
  plans.map(({ created_by: by }) => by).filter((by) => !by.startsWith(ofToken))

/** Who has made a plan, in words. */
export const makerText = (by: string, names: ReadonlyMap<string, string>, texts: Texts): string =>
  by.startsWith(ofToken) ? texts.person.byToken(by.slice(ofToken.length)) : (names.get(by) ?? by)
