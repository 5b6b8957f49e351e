import { useEffect } from 'preact/hooks'
import { changeQuery } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { useAction } from '../data/useAction.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { useRepeat } from '../data/useRead.ts'
import { Badge } from '../parts/Badge.tsx'
import { SelectField } from '../parts/Field.tsx'
import { Growing } from '../parts/Growing.tsx'
import { Problem } from '../parts/Problem.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Time } from '../parts/Time.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { eventText } from './eventText.ts'
import type { Webhook } from './Webhooks.tsx'

type Delivery = Schemas['Delivery']
/** What can be shown of the deliveries, each with the states that it has. */
const choices = {
  UNDELIVERED: ['WAITING', 'FAILED'],
  WAITING: ['WAITING'],
  DELIVERED: ['DELIVERED'],
  FAILED: ['FAILED'],
} as const satisfies Record<string, readonly Delivery['state'][]>
type Choice = keyof typeof choices
const choiceIn = (query: URLSearchParams) =>
  (Object.keys(choices) as Choice[]).find((one) => one === query.get('show')) ?? ''

const tones = { WAITING: 'warn', DELIVERED: 'good', FAILED: 'bad' } as const

type Properties = {
  webhook: Webhook
  query: URLSearchParams
  isExpected: boolean
  onTried: (attempts: number) => void
}

/**
 * What a webhook was sent in the last 30 days, with each attempt. The address says which of it. `isExpected`: something is on its way. `onTried`: how many attempts are
 * known, each time that there are more.
 */
export function Deliveries({ webhook, query, isExpected, onTried }: Properties) {
  const texts = useTexts()
  const choice = choiceIn(query)
  const list = useGrowing(`deliveries ${webhook.id} ${choice}`, async (page, signal) => {
    const filter = choice ? { state: [...choices[choice]] } : {}
    const params = { path: { webhook_id: webhook.id }, query: { ...page, ...filter } }
    const { data } = await api.GET('/api/admin/organisations/v4/webhooks/{webhook_id}/deliveries', { signal, params })
    return { items: data.deliveries, next: data.pagination.next_cursor }
  })
  const isShort = list.items.length <= 25
  const isMissing = isExpected && list.items.length === 0
  useRepeat(isShort && (isMissing || list.items.some((one) => one.state === 'WAITING')), list.first.again)
  const attempts = list.items.reduce((sum, one) => sum + one.attempts.length, 0)
  useEffect(() => onTried(attempts), [attempts])
  const columns: Column<Delivery>[] = [
    { key: 'type', title: texts.connections.event, isHeader: true, cell: ({ type }) => eventText(type, texts) },
    {
      key: 'state',
      title: texts.connections.state,
      cell: (one) => (
        <>
          <Badge tone={tones[one.state]}>{texts.connections.deliveryStates[one.state]}</Badge>
          {one.next_attempt_at && (
            <span class="note">
              {texts.connections.nextAttempt} <Time at={one.next_attempt_at} />
            </span>
          )}
        </>
      ),
    },
    { key: 'attempts', title: texts.connections.attempts, cell: ({ attempts }) => <Attempts attempts={attempts} /> },
    {
      key: 'again',
      title: texts.connections.actions,
      cell: (one) => webhook.enabled && <SendAgain webhook={webhook} delivery={one} onSent={list.first.again} />,
    },
  ]
  return (
    <section class="card" aria-labelledby="deliveries">
      <h2 id="deliveries" tabIndex={-1}>
        {texts.connections.deliveries}
      </h2>
      <div class="toolbar">
        <SelectField<Choice | ''>
          name="state"
          label={texts.connections.state}
          value={choice}
          onValue={(show) => changeQuery({ show: show || null })}
          options={[
            { value: '', text: texts.common.all },
            { value: 'UNDELIVERED', text: texts.connections.undelivered },
            ...(['WAITING', 'DELIVERED', 'FAILED'] as const).map((one) => ({
              value: one,
              text: texts.connections.deliveryStates[one],
            })),
          ]}
        />
        <button type="button" onClick={list.first.again}>
          {texts.connections.refresh}
        </button>
      </div>
      <Growing list={list} none={texts.connections.noDeliveries} more={texts.connections.moreDeliveries}>
        {(deliveries) => (
          <Table caption={texts.connections.deliveries} columns={columns} rows={deliveries} keyOf={({ id }) => id} />
        )}
      </Growing>
    </section>
  )
}

function Attempts({ attempts }: { attempts: Delivery['attempts'] }) {
  const texts = useTexts()
  const last = attempts.at(-1)
  if (!last) return <span class="none">{texts.connections.noAttempt}</span>
  return (
    <details>
      <summary>{texts.connections.attemptCount(attempts.length)}</summary>
      <ol>
        {attempts.map(({ at, status, ms, fault }) => (
          <li key={at}>
            <Time at={at} /> · {status ?? texts.connections.noAnswer} · {texts.number(ms)} ms
            {fault && (
              <span class="note" lang="en">
                {fault}
              </span>
            )}
          </li>
        ))}
      </ol>
    </details>
  )
}

type SendAgainProperties = { webhook: Webhook; delivery: Delivery; onSent: () => void }

function SendAgain({ webhook, delivery, onSent }: SendAgainProperties) {
  const texts = useTexts()
  const { run, isBusy, problem } = useAction()
  const send = () =>
    run(async () => {
      const params = { path: { webhook_id: webhook.id, delivery_id: delivery.id } }
      await api.POST('/api/admin/organisations/v4/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', { params })
      say(texts.connections.sentAgain)
      onSent()
    })
  return (
    <>
      <button type="button" class="quiet" aria-disabled={isBusy} onClick={send}>
        {texts.connections.sendAgain}
        <span class="visually-hidden"> {eventText(delivery.type, texts)}</span>
      </button>
      <Problem problem={problem} />
    </>
  )
}
