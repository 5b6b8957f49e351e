import { linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { momentText } from '../data/moments.ts'
import { useRead } from '../data/useRead.ts'
import { LinkTo } from '../parts/LinkTo.tsx'
import { useTexts } from '../texts/texts.ts'
import { HomeCard } from './HomeCard.tsx'

/** Webhooks that do not deliver: failing, or disabled while somebody wants them. */
export function Webhooks() {
  const texts = useTexts()
  const read = useRead('failing webhooks', async (signal) => {
    const params = { query: { page_limit: 100 } }
    const { data } = await api.GET('/api/admin/organisations/v4/webhooks', { signal, params })
    return data.webhooks.filter(({ state, failing_since }) => state === 'FAILING' || failing_since !== null)
  })
  return (
    <HomeCard
      title={texts.home.webhooks}
      read={read}
      none={texts.home.webhooksNone}
      keyOf={({ id }) => id}
      line={({ id, url, description, state, failing_since }) => (
        <>
          <LinkTo to={linkTo('webhook', { id })}>{description ?? new URL(url).host}</LinkTo>
          <span class="note">
            {state === 'DISABLED' && `${texts.home.disabled}, `}
            {failing_since && texts.home.failingSince(momentText(failing_since, texts))}
          </span>
        </>
      )}
    />
  )
}
