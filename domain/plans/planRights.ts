import type { Scope } from '../../schemas/scopes.ts'
import { refuse } from '../base/errors.ts'
import { type Actor, mayChange } from '../request/actor.ts'
import type { PlanRequest } from './plan.ts'

type Asked = Pick<PlanRequest, 'select' | 'change' | 'absent_among'>

const isAboutGroups = ({ select, absent_among, change }: Asked): boolean =>
  select?.user_group_id !== undefined ||
  absent_among?.user_group_id !== undefined ||
  change?.assign !== undefined ||
  change?.unassign !== undefined

/** The scopes that a service token needs to make a plan, to apply or to cancel it. */
export const scopesOf = (request: Asked): Scope[] => (isAboutGroups(request) ? ['USERS', 'USER_GROUPS'] : ['USERS'])

/** Refuses a caller whose service token lacks one of the scopes of a plan. */
export function requireScopes(actor: Actor, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !mayChange(actor, scope))
  if (missing) throw refuse('PERMISSION_MISSING', undefined, `The service token lacks the scope ${missing}`)
}
