// What the task screens show, as the address holds it, and what a due date is. Pure.
import type { Schemas } from '../data/api.ts'

export type Task = Schemas['Task']
export type Assignment = Schemas['TaskAssignment']
export type Progress = Assignment['progress_status']
export type DueAt = Task['due_at']

export const views = ['mine', 'given'] as const
export type View = (typeof views)[number]
export const viewOf = (query: URLSearchParams): View => (query.get('view') === 'given' ? 'given' : 'mine')

export const shownKinds = ['open', 'finished', 'all'] as const
export type Shown = (typeof shownKinds)[number]
export const shownOf = (query: URLSearchParams): Shown =>
  shownKinds.find((one) => one === query.get('show')) ?? (viewOf(query) === 'mine' ? 'open' : 'all')

const sorts = {
  mine: ['DUE_AT_ASC', 'DUE_AT_DESC', 'CREATED_AT_ASC', 'CREATED_AT_DESC', 'UPDATED_AT_ASC', 'UPDATED_AT_DESC'],
  given: ['UPDATED_AT_DESC', 'UPDATED_AT_ASC', 'DUE_AT_ASC', 'DUE_AT_DESC'],
} as const
export type Sort<V extends View> = (typeof sorts)[V][number]

/** The sort that the address names, else the first of the view. */
export const sortOf = <V extends View>(view: V, query: URLSearchParams): Sort<V> => {
  const allowed: readonly Sort<V>[] = sorts[view]
  return allowed.find((one) => one === query.get('sort')) ?? (allowed[0] as Sort<V>)
}

/** How a due date is entered: none, a day, or a moment in the reader's zone. */
export type Due = { kind: 'NONE' | 'DATE' | 'DATE_TIME'; date: string; time: string }
export const noDue: Due = { kind: 'NONE', date: '', time: '12:00' }

const two = (number: number) => String(number).padStart(2, '0')

export function dueFrom(due: DueAt): Due {
  if (!due) return noDue
  if (due.due_at_type === 'DATE') return { ...noDue, kind: 'DATE', date: due.date ?? '' }
  const at = new Date(due.date_time ?? '')
  return {
    kind: 'DATE_TIME',
    date: `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`,
    time: `${two(at.getHours())}:${two(at.getMinutes())}`,
  }
}

/** What is sent for a due date: null for none, undefined while it is not complete. */
export function dueToSend({ kind, date, time }: Due): DueAt | undefined {
  if (kind === 'NONE') return null
  if (!date) return undefined
  if (kind === 'DATE') return { due_at_type: 'DATE', date }
  const at = new Date(`${date}T${time || '00:00'}`)
  return Number.isNaN(at.getTime()) ? undefined : { due_at_type: 'DATE_TIME', date_time: at.toISOString() }
}

/** A date without a time ends with its day, in UTC. */
export function isOverdue(due: DueAt, now = Date.now()): boolean {
  if (!due) return false
  return (due.due_at_type === 'DATE' ? Date.parse(`${due.date}T23:59:59.999Z`) : Date.parse(due.date_time ?? '')) < now
}

/** The numbers of a summary by progress. */
export function countsOf({ total, items }: Schemas['TaskSummary']): Record<Progress | 'total', number> {
  const count = (status: Progress) => items.find((one) => one.status === status)?.count ?? 0
  return { total, NEW: count('NEW'), OPEN: count('OPEN'), FINISHED: count('FINISHED') }
}

export const personName = (person: { id: string; first_name: string; last_name: string }): string =>
  `${person.first_name} ${person.last_name}`.trim() || person.id
