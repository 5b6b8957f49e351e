import { refuse } from '../base/errors.ts'
import { isPast } from '../base/text.ts'
import { absent, is } from '../table/expressions.ts'
import { openPlansKey } from '../table/keys.ts'
import { defineItem } from '../table/records.ts'
import type { Action, Store } from '../table/store.ts'
import type { Plan } from './plan.ts'

/**
 * The plans that have not ended, with the moment when they expire, if nobody applies them. `applying` are those that are to be
 * applied: the first one is, the others wait for it. One small item, written when a plan changes its state.
 */
export type OpenPlans = { open: Record<string, string | null>; applying: string[]; version: number }
const rows = defineItem<OpenPlans>()

/** The most plans that have not ended. */
const MOST_OPEN = 20

export async function readOpenPlans(store: Pick<Store, 'get'>): Promise<OpenPlans> {
  const item = await store.get(openPlansKey)
  if (!item) return { open: {}, applying: [], version: 0 }
  const { open, applying, version } = rows.of(item)
  return { open, applying, version }
}

/** Writes the open plans; stale if they have changed since they were read. */
const replace = (before: OpenPlans, { open, applying }: Pick<OpenPlans, 'open' | 'applying'>): Action => ({
  put: rows.item(openPlansKey, { open, applying, version: before.version + 1 }),
  if: before.version === 0 ? absent : is({ version: before.version }),
})

const without = ({ open, applying }: OpenPlans, id: string) => {
  const { [id]: _, ...others } = open
  return { open: others, applying: applying.filter((one) => one !== id) }
}

/** Adds a new plan, which may expire. Throws PLANS_LIMIT_EXCEEDED. Plans that have expired do not count. */
export function addOpen(before: OpenPlans, { id, expires_at }: Pick<Plan, 'id' | 'expires_at'>, now: string): Action {
  const open = Object.fromEntries(Object.entries(before.open).filter(([, end]) => !isPast(end ?? undefined, now)))
  if (Object.keys(open).length >= MOST_OPEN) throw refuse('PLANS_LIMIT_EXCEEDED')
  return replace(before, { open: { ...open, [id]: expires_at }, applying: before.applying })
}

/** A plan can be applied, or uploaded, until then; null while it is checked. */
export const expireOpen = (before: OpenPlans, id: string, expires_at: string | null): Action =>
  replace(before, { ...before, open: { ...before.open, [id]: expires_at } })

/** A plan is to be applied: when all before it are done. */
export const queueOpen = (before: OpenPlans, id: string): Action =>
  replace(before, { open: { ...before.open, [id]: null }, applying: [...before.applying, id] })

/** A plan has ended. */
export const removeOpen = (before: OpenPlans, id: string): Action => replace(before, without(before, id))

/** The plan whose turn it is once this one has ended. */
export const nextApplying = (before: OpenPlans, id: string): string | undefined =>
  before.applying[0] === id ? before.applying[1] : undefined
