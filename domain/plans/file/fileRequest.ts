import type { PlanRequest } from '../plan.ts'

/** What is to be done with a file, with the defaults of what was not given. */
export const fileRequest = (request: PlanRequest) => ({ ...defaults, ...request })
export type FileRequest = ReturnType<typeof fileRequest>

type Given = Required<Pick<PlanRequest, 'format' | 'match_by' | 'mode' | 'columns' | 'empty' | 'pending' | 'unlock'>> &
  Required<Pick<PlanRequest, 'absent' | 'include_administrators' | 'on_fault'>>
const defaults: Given = {
  format: 'CSV',
  match_by: 'EXTERNAL_ID',
  mode: 'DELTA',
  columns: {},
  empty: 'IGNORE',
  pending: 'FAULT',
  unlock: false,
  absent: 'KEEP',
  include_administrators: false,
  on_fault: 'SKIP',
}
