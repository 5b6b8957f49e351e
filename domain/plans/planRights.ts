import type { Scope } from '../../schemas/scopes.ts'
import { refuse } from '../base/errors.ts'
import { type Actor, mayChange } from '../request/actor.ts'
import type { PlanRequest } from './plan.ts'

type Asked = Pick<PlanRequest, 'select' | 'change'>

const isAboutGroups = ({ select, change }: Asked): boolean =>
  select?.user_group_id !== undefined || change?.assign !== undefined || change?.unassign !== undefined

/** The scopes that a service token needs to make a plan or to apply it. */
export const scopesOf = (request: Asked): Scope[] => (isAboutGroups(request) ? ['USERS', 'USER_GROUPS'] : ['USERS'])

/** Refuses a caller whose service token lacks a scope for what the plan is about. */
export function requireScopes(actor: Actor, request: Asked): void {
  const missing = scopesOf(request).find((scope) => !mayChange(actor, scope))
  if (missing) throw refuse('PERMISSION_MISSING', undefined, `The service token lacks the scope ${missing}`)
}
