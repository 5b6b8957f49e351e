import { AppError } from '../base/errors.ts'
import type { Context } from '../request/context.ts'
import { defineItem } from '../table/records.ts'
import type { Work } from '../work/steps.ts'
import type { PlannedChange } from './change.ts'
import type { Position, Problem } from './plan.ts'

// What a check finds out about users.

/** What a check works with: the plan's creator as caller. */
export type Checking = { work: Work; context: Context }

/** A row or a user for which nothing can be planned. */
export type PlanFault = { row: number | null; column: string | null } & Problem

/** Items with some faults of a plan. */
export const faultRows = defineItem<{ faults: PlanFault[] }>()

/**
 * What is known of one user: a change, faults, or, with neither, that nothing is to be done. A change with `skipped` is only
 * shown: somebody has changed the user since. It is counted as a row, unless it is a `FURTHER` one of the same row, or the user is
 * `ABSENT` from a file. `isRecent`: the user has changed since the check began, and may be found again.
 */
export type Verdict = {
  user: string
  change?: PlannedChange
  skipped?: Problem
  faults?: PlanFault[]
  as?: 'FURTHER' | 'ABSENT'
  isRecent?: boolean
}

/**
 * Users who were looked at: what is known of those who are in the plan, and where the work goes on. `unchanged`: how many rows need
 * nothing. They are in no verdict. `isToBeWritten`: what is found next depends on what is written of all this.
 */
export type Found = { verdicts: Verdict[]; at: Partial<Position>; unchanged?: number; isToBeWritten?: true }

/** The fault of a user. */
export const faultOf = (row: number | null, id: string, { code, detail }: Problem): PlanFault[] => [
  { row, column: null, code, detail: `User ${id}: ${detail}` },
]

/** Codes of faults that are not about the user or the plan: another attempt may succeed. */
const mayPass: ReadonlySet<string> = new Set([
  'CONCURRENT_MODIFICATION',
  'TOO_MANY_REQUESTS',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
])

/** The refusal that an error is; undefined if another attempt may succeed. */
export const refusalIn = (error: unknown): Problem | undefined =>
  error instanceof AppError && !mayPass.has(error.code) ? { code: error.code, detail: error.message } : undefined

export const changedSince: Problem = {
  code: 'CHANGED_SINCE',
  detail: 'The user has changed since the plan was checked',
}
