import { linkTo } from '../address.ts'
import { usePeopleNames } from '../data/usePeopleNames.ts'
import type { Reading } from '../data/useRead.ts'
import { LinkTo } from '../parts/LinkTo.tsx'
import { Time } from '../parts/Time.tsx'
import { makersOf, makerText, type Plan } from '../plans/planQuery.ts'
import { usePlanTitle } from '../plans/usePlanTitle.ts'
import { useTexts } from '../texts/texts.ts'
import { HomeCard } from './HomeCard.tsx'

const mostShown = 5

/** Plans that are worked out, and wait for somebody to apply or to cancel them. */
export function PlansToDecide({ read: { data: all, ...read } }: { read: Reading<Plan[]> }) {
  const texts = useTexts()
  const plans = all?.slice(0, mostShown)
  const titleOf = usePlanTitle(plans ?? [])
  const names = usePeopleNames(makersOf(plans ?? []))
  return (
    <HomeCard
      card="plans"
      title={texts.home.plans}
      read={{ ...read, data: plans }}
      none={texts.home.plansNone}
      keyOf={({ id }) => id}
      line={(plan) => (
        <>
          <LinkTo to={linkTo('plan', { id: plan.id })}>{titleOf(plan)}</LinkTo>
          <span class="note">
            {texts.plans.kinds[plan.kind]} · {texts.home.planChanges(plan.counts.planned)}
            {plan.counts.faults > 0 && ` · ${texts.home.planFaults(plan.counts.faults)}`}
          </span>
          <span class="note" dir="auto">
            {makerText(plan.created_by, names, texts)} · <Time at={plan.created_at} />
          </span>
        </>
      )}
      more={<LinkTo to={linkTo('plans')}>{texts.plans.back}</LinkTo>}
    />
  )
}
