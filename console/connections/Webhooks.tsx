import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { Growing } from '../parts/Growing.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { useTexts } from '../texts/texts.ts'
import { typesText } from './eventText.ts'
import { NewWebhook } from './NewWebhook.tsx'
import { Secret } from './Secret.tsx'
import { WebhookState } from './WebhookState.tsx'

export type Webhook = Schemas['Webhook']
/** Addresses that get events. */
export function Webhooks() {
  const texts = useTexts()
  const [isNew, setNew] = useState(false)
  const [secret, setSecret] = useState<string>()
  const list = useGrowing('webhooks', async (page, signal) => {
    const { data } = await api.GET('/api/admin/organisations/v4/webhooks', { signal, params: { query: page } })
    return { items: data.webhooks, next: data.pagination.next_cursor ?? null }
  })
  const columns: Column<Webhook>[] = [
    {
      key: 'url',
      title: texts.connections.address,
      isHeader: true,
      cell: ({ id, url, description }) => (
        <>
          <a href={linkTo('webhook', { id })} dir="ltr">
            {url}
          </a>
          {description && (
            <span class="note" dir="auto">
              {description}
            </span>
          )}
        </>
      ),
    },
    { key: 'state', title: texts.connections.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
    {
      key: 'types',
      title: texts.connections.events,
      cell: ({ types }) => typesText(types, texts),
    },
  ]
  return (
    <section class="card" aria-labelledby="webhooks">
      <div class="card-head">
        <h2 id="webhooks">{texts.connections.webhooks}</h2>
        <button type="button" onClick={() => setNew(true)}>
          {texts.connections.newWebhook}
        </button>
      </div>
      <p class="hint">{texts.connections.webhooksIntro}</p>
      <Growing list={list} none={texts.connections.noWebhooks} more={texts.connections.moreWebhooks}>
        {(webhooks) => (
          <Table caption={texts.connections.webhooks} columns={columns} rows={webhooks} keyOf={({ id }) => id} />
        )}
      </Growing>
      {isNew && (
        <NewWebhook
          onClose={() => setNew(false)}
          onMade={(made) => {
            setNew(false)
            setSecret(made)
            list.first.again()
          }}
        />
      )}
      {secret && (
        <Secret
          title={texts.connections.webhookSecret}
          means={texts.connections.webhookSecretMeans}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </section>
  )
}
