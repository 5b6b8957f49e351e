import { readAttributes } from '../data/attributes.ts'
import { useRead } from '../data/useRead.ts'
import { useTitles } from '../data/useTitles.ts'
import { useTexts } from '../texts/texts.ts'
import { type Asked, changeText, titledIn } from './changeText.ts'
import type { Plan } from './planQuery.ts'

/** Returns what plans are called: each by its title, else by what it does. */
export function usePlanTitle(plans: readonly Plan[]): (plan: Plan) => string {
  const texts = useTexts()
  const untitled = plans.filter(({ title }) => !title).map(({ request }) => request as Asked)
  const nameOf = useTitles(untitled.flatMap(titledIn))
  const hasAttributes = untitled.some(({ change }) => change?.update?.attributes !== undefined)
  const { data: attributes = [] } = useRead(hasAttributes ? 'attributes' : null, readAttributes)
  return ({ title, kind, request }) => {
    if (title) return title
    const { change, plan_id } = request as Asked
    if (change) return changeText(change, { texts, nameOf, attributes })
    const undone = plan_id && nameOf({ kind: 'plan', id: plan_id })
    // A plan without a title is called by its id there.
    return undone && undone !== plan_id ? texts.plans.does.takeBack(undone) : texts.plans.kinds[kind]
  }
}
