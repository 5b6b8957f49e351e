import { linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { dateText } from '../data/moments.ts'
import { useRead } from '../data/useRead.ts'
import { LinkTo } from '../parts/LinkTo.tsx'
import { useTexts } from '../texts/texts.ts'
import { HomeCard } from './HomeCard.tsx'

const soon = 30 * 24 * 60 * 60 * 1000

/** Service tokens that expire within 30 days, or have expired. */
export function Tokens() {
  const texts = useTexts()
  const read = useRead('tokens', async (signal) => {
    const until = Date.now() + soon
    const lists = await Array.fromAsync(
      api.pages('/api/admin/organisations/v4/service-tokens', { signal, params: { query: { page_limit: 100 } } }),
    )
    return lists
      .flatMap((list) => list.service_tokens)
      .filter(({ expires_at }) => Date.parse(expires_at) < until)
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
            {(Date.parse(expires_at) < Date.now() ? texts.home.expired : texts.home.expires)(
              dateText(expires_at, texts),
            )}
          </span>
        </>
      )}
    />
  )
}
