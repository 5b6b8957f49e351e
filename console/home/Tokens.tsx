import { linkTo } from '../address.ts'
import { expiryOf } from '../connections/tokenExpiry.ts'
import { api } from '../data/api.ts'
import { dateText } from '../data/moments.ts'
import { useRead } from '../data/useRead.ts'
import { LinkTo } from '../parts/LinkTo.tsx'
import { useTexts } from '../texts/texts.ts'
import { HomeCard } from './HomeCard.tsx'

/** Service tokens that expire within 30 days, or have expired. */
export function Tokens() {
  const texts = useTexts()
  const read = useRead('tokens', async (signal) => {
    const lists = await Array.fromAsync(
      api.pages('/api/admin/organisations/v4/service-tokens', { signal, params: { query: { page_limit: 100 } } }),
    )
    return lists
      .flatMap((list) => list.service_tokens)
      .filter(({ expires_at }) => expiryOf(expires_at) !== 'LATER')
      .toSorted((a, b) => a.expires_at.localeCompare(b.expires_at))
  })
  return (
    <HomeCard
      card="tokens"
      title={texts.home.tokens}
      read={read}
      none={texts.home.tokensNone}
      keyOf={({ id }) => id}
      line={({ name, expires_at }) => (
        <>
          <LinkTo to={linkTo('connections')}>{name}</LinkTo>
          <span class="note">
            {(expiryOf(expires_at) === 'OVER' ? texts.home.expired : texts.home.expires)(dateText(expires_at, texts))}
          </span>
        </>
      )}
    />
  )
}
