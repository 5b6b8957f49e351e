import { linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { useRead } from '../data/useRead.ts'
import { LinkTo } from '../parts/LinkTo.tsx'
import { Time } from '../parts/Time.tsx'
import { useTexts } from '../texts/texts.ts'
import { HomeCard } from './HomeCard.tsx'

/** Plans that are worked out, and wait for somebody to apply or to cancel them. */
export function PlansToDecide() {
  const texts = useTexts()
  const read = useRead('ready plans', async (signal) => {
    const query = { state: ['READY' as const], page_limit: 5 }
    return (await api.GET('/api/admin/organisations/v4/plans', { signal, params: { query } })).data.plans
  })
  return (
    <HomeCard
      title={texts.home.plans}
      read={read}
      none={texts.home.plansNone}
      keyOf={({ id }) => id}
      line={({ id, title, counts, created_at }) => (
        <>
          <LinkTo to={linkTo('plan', { id })}>{title ?? texts.home.plan}</LinkTo>
          <span class="note">
            {texts.home.planChanges(counts.planned)} · <Time at={created_at} />
          </span>
        </>
      )}
    />
  )
}
