import { linkTo } from '../address.ts'
import { lastAttemptOf } from '../connections/lastAttempt.ts'
import { api, type Schemas } from '../data/api.ts'
import { useRead } from '../data/useRead.ts'
import { LinkTo } from '../parts/LinkTo.tsx'
import { Time } from '../parts/Time.tsx'
import { useTexts } from '../texts/texts.ts'
import { HomeCard } from './HomeCard.tsx'

type Webhook = Schemas['Webhook']
type Failing = Webhook & { last: ReturnType<typeof lastAttemptOf> }

/** So many of the newest deliveries tell how the last attempt went: the very newest may not have been tried yet. */
const newest = 10

/** How the last attempt of a webhook went. It is a help, not what was asked for: without it the webhook is shown all the same. */
async function withLast(webhook: Webhook, signal: AbortSignal): Promise<Failing> {
  const query = { state: ['WAITING' as const, 'FAILED' as const], page_limit: newest }
  const params = { path: { webhook_id: webhook.id }, query }
  const last = await api.GET('/api/admin/organisations/v4/webhooks/{webhook_id}/deliveries', { signal, params }).then(
    ({ data }) => lastAttemptOf(data.deliveries),
    () => undefined,
  )
  return { ...webhook, last }
}

/** Webhooks that do not deliver: failing, or disabled while somebody wants them. */
export function Webhooks() {
  const texts = useTexts()
  const read = useRead('failing webhooks', async (signal) => {
    const params = { query: { page_limit: 100 } }
    const { data } = await api.GET('/api/admin/organisations/v4/webhooks', { signal, params })
    const failing = data.webhooks.filter(({ state, failing_since }) => state === 'FAILING' || failing_since !== null)
    return Promise.all(failing.map((webhook) => withLast(webhook, signal)))
  })
  return (
    <HomeCard
      card="webhooks"
      title={texts.home.webhooks}
      read={read}
      none={texts.home.webhooksNone}
      keyOf={({ id }) => id}
      line={({ id, url, description, state, failing_since, last }) => (
        <>
          <LinkTo to={linkTo('webhook', { id })}>{description ?? new URL(url).host}</LinkTo>
          <span class="note">
            {state === 'DISABLED' && `${texts.home.disabled} · `}
            {failing_since && (
              <>
                {texts.home.failingSince} <Time at={failing_since} />
              </>
            )}
          </span>
          {last && (
            <span class="note">
              {texts.home.lastAttempt}{' '}
              {last.status === null ? texts.connections.noAnswer : texts.connections.answered(last.status)}
            </span>
          )}
          <span class="note">
            <LinkTo to={linkTo('webhook', { id, show: 'UNDELIVERED' })}>{texts.home.undelivered}</LinkTo>
          </span>
        </>
      )}
    />
  )
}
