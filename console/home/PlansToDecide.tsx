import { linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { usePeopleNames } from '../data/usePeopleNames.ts'
import { useRead } from '../data/useRead.ts'
import { LinkTo } from '../parts/LinkTo.tsx'
import { Time } from '../parts/Time.tsx'
import { hasNothingToDo, makersOf, makerText } from '../plans/planQuery.ts'
import { usePlanTitle } from '../plans/usePlanTitle.ts'
import { useTexts } from '../texts/texts.ts'
import { HomeCard } from './HomeCard.tsx'

/** Plans that are worked out, and wait for somebody to apply or to cancel them. */
export function PlansToDecide() {
  const texts = useTexts()
  const read = useRead('ready plans', async (signal) => {
    // More cannot be open at once.
    const query = { state: ['READY' as const], page_limit: 20 }
    const { data } = await api.GET('/api/admin/organisations/v4/plans', { signal, params: { query } })
    return data.plans.filter((plan) => !hasNothingToDo(plan)).slice(0, 5)
  })
  const plans = read.data ?? []
  const titleOf = usePlanTitle(plans)
  const names = usePeopleNames(makersOf(plans))
  return (
    <HomeCard
      card="plans"
      title={texts.home.plans}
      read={read}
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
