import { useTexts } from '../texts/texts.ts'
import type { Plan } from './planQuery.ts'

/** Returns what a plan is called: its title, else what it does. */
export function usePlanTitle(): (plan: Plan) => string {
  const texts = useTexts()
  return ({ title, kind, request }) => {
    if (title) return title
    const { change } = request as { change?: { action?: keyof typeof texts.plans.actions } & Record<string, unknown> }
    if (change?.action) return texts.plans.actions[change.action]
    if (change?.['assign']) return texts.plans.actions.ASSIGN
    if (change?.['unassign']) return texts.plans.actions.UNASSIGN
    return change ? texts.plans.actions.UPDATE : texts.plans.kinds[kind]
  }
}
