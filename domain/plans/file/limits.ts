import type { FieldChange, PlannedChange } from '../change.ts'
import { isEmpty } from '../change.ts'
import type { PlanCounts, PlanRequest, Problem } from '../plan.ts'
import type { People } from './fileWork.ts'

// How much a plan of a file may change, if nobody says otherwise: what a wrong file would change is more.

const byDefault = { changed_percent: 20, lifecycle_percent: 5, cleared_percent: 5 }
/** No share of the people is below this many. */
const FEWEST = 10

export const nobody: People = { changed: 0, lifecycle: 0, cleared: {} }

const takesAway: ReadonlySet<string> = new Set(['LOCK', 'DEACTIVATE', 'DELETE'])

/** Counts one more person with the changes that are planned for them. Who is created loses nothing: they are in no share. */
export function addPerson(people: People, changes: readonly Pick<PlannedChange, 'action' | 'fields'>[]): People {
  if (changes.length === 0 || changes.some(({ action }) => action === 'CREATE')) return people
  const cleared = { ...people.cleared }
  for (const field of clearedIn(changes.flatMap(({ fields }) => fields))) cleared[field] = (cleared[field] ?? 0) + 1
  const lifecycle = people.lifecycle + Number(changes.some(({ action }) => takesAway.has(action)))
  return { changed: people.changed + 1, lifecycle, cleared }
}

/** The end of a deletion clears the deadline, which is no loss. */
const clearedIn = (fields: readonly FieldChange[]): string[] =>
  fields
    .filter(({ field, before, after }) => field !== 'deletion_at' && isEmpty(after) && !isEmpty(before))
    .map(({ field }) => field)

/** A share of the people, rounded up to whole ones. */
const shareOf = (percent: number, scope: number): number => Math.max(FEWEST, Math.ceil((scope * percent) / 100))

type Counted = { people: People; scope: number; unjudged?: number } & Pick<PlanCounts, 'planned'>

/**
 * Why a plan is refused, as it changes more than its limits allow; undefined if it does not. `scope`: how many users there are,
 * `unjudged`: how many more may be absent.
 */
export function beyondLimits(
  limits: PlanRequest['limits'] = {},
  { people, scope, planned, unjudged = 0 }: Counted,
): Problem | undefined {
  const { changed_percent, lifecycle_percent, cleared_percent } = { ...byDefault, ...limits }
  const most = aboveChanges(limits, planned)
  const found = [
    ...(most ? [most.detail] : []),
    ...above('changes', people.changed, changed_percent, scope, 'changed_percent'),
    ...above('locks, deactivates or deletes', people.lifecycle, lifecycle_percent, scope, 'lifecycle_percent'),
    ...Object.entries(people.cleared).flatMap(([field, number]) =>
      above(`clears ${field} of`, number, cleared_percent, scope, 'cleared_percent'),
    ),
  ]
  if (found.length > 0 && unjudged > 0)
    found.push(`${unjudged} more users seem to be in no row: they were not looked at, and are not counted`)
  return found.length === 0 ? undefined : { code: 'PLAN_LIMIT_EXCEEDED', detail: found.join('. ') }
}

function above(does: string, number: number, percent: number, scope: number, name: string): string[] {
  const most = shareOf(percent, scope)
  return number > most ? [`The plan ${does} ${number} of ${scope} users, and ${name} ${percent} allows ${most}`] : []
}

/** Why a plan is refused that makes more changes than its caller allows. */
export const aboveChanges = ({ changes }: PlanRequest['limits'] = {}, planned: number): Problem | undefined =>
  changes !== undefined && planned > changes
    ? { code: 'PLAN_LIMIT_EXCEEDED', detail: `The plan makes ${planned} changes, and its limit is ${changes}` }
    : undefined
