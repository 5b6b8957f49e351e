import { api, type Schemas } from '../data/api.ts'
import { useRead } from '../data/useRead.ts'
import { Badge } from '../parts/Badge.tsx'
import { Time } from '../parts/Time.tsx'
import { useTexts } from '../texts/texts.ts'
import { lastAttemptOf } from './lastAttempt.ts'

type Properties = { webhook: Schemas['Webhook']; round?: number }

/** So many of the newest deliveries tell how the last attempt went: the very newest may not have been tried yet. */
const newest = 10

/** Whether a webhook delivers. One that is enabled and not yet failing is judged by its last attempt. `round`: reads anew. */
export function WebhookState({ webhook: { id, state, failing_since: since }, round = 0 }: Properties) {
  const texts = useTexts()
  const isJudged = state === 'OK'
  const read = useRead(isJudged ? `last attempt ${id} ${round}` : null, async (signal) => {
    const params = { path: { webhook_id: id }, query: { page_limit: newest } }
    const { data } = await api.GET('/api/admin/organisations/v4/webhooks/{webhook_id}/deliveries', { signal, params })
    return { last: lastAttemptOf(data.deliveries) }
  })
  if (!isJudged)
    return (
      <>
        <Badge tone={state === 'FAILING' ? 'bad' : 'calm'}>{texts.connections.states[state]}</Badge>
        {since && (
          <span class="note">
            {texts.connections.since} <Time at={since} />
          </span>
        )}
      </>
    )
  if (!read.data) return <Badge>{texts.connections.isEnabled}</Badge>
  const { last } = read.data
  if (!last) return <Badge>{texts.connections.notTried}</Badge>
  if (last.hasWorked) return <Badge tone="good">{texts.connections.states.OK}</Badge>
  return (
    <>
      <Badge tone="bad">{texts.connections.lastFailed}</Badge>
      <span class="note">
        {last.status === null ? texts.connections.noAnswer : texts.connections.answered(last.status)}
        {last.next && (
          <>
            {' · '}
            {texts.connections.nextAttempt} <Time at={last.next} />
          </>
        )}
      </span>
    </>
  )
}
