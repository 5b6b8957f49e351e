import { useLayoutEffect, useState } from 'preact/hooks'
import { go, hasGone, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { codeOf } from '../data/problem.ts'
import { useAction } from '../data/useAction.ts'
import { type Read, useRead } from '../data/useRead.ts'
import { Confirm } from '../parts/Confirm.tsx'
import { Facts } from '../parts/Facts.tsx'
import { HistoryLink } from '../parts/HistoryLink.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Page } from '../parts/Page.tsx'
import { Problem } from '../parts/Problem.tsx'
import { Time } from '../parts/Time.tsx'
import type { ScreenProperties } from '../screens.ts'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { Deliveries } from './Deliveries.tsx'
import { EditWebhook } from './EditWebhook.tsx'
import { typesText } from './eventText.ts'
import { Replay } from './Replay.tsx'
import { Secret } from './Secret.tsx'
import { WebhookState } from './WebhookState.tsx'
import type { Webhook as WebhookRecord } from './Webhooks.tsx'

const path = '/api/admin/organisations/v4/webhooks/{webhook_id}'
export type Shown = { webhook: WebhookRecord; etag: string }

/** One webhook: its state, what can be done with it, and what it was sent. */
export default function Webhook({ query }: ScreenProperties) {
  const texts = useTexts()
  const id = query.get('id') ?? ''
  const read = useRead(id, async (signal): Promise<Shown> => {
    const { data, response } = await api.GET(path, { signal, params: { path: { webhook_id: id } } })
    return { webhook: data, etag: response.headers.get('etag') ?? '*' }
  })
  const back = <a href={linkTo('connections')}>{texts.connections.back}</a>
  if (codeOf(read.problem) === 'WEBHOOK_NOT_FOUND') return <Page title={texts.errors.WEBHOOK_NOT_FOUND} back={back} />
  return (
    <Page
      title={read.data?.webhook.url ?? texts.connections.webhook}
      back={back}
      actions={read.data && <HistoryLink kind="webhook" id={id} />}
    >
      <Loaded read={read}>{(shown) => <About shown={shown} read={read} query={query} />}</Loaded>
    </Page>
  )
}

type AboutProperties = { shown: Shown; read: Read<Shown>; query: URLSearchParams }

function About({ shown: { webhook, etag }, read, query }: AboutProperties) {
  const texts = useTexts()
  useLayoutEffect(() => {
    // A link to what was sent leads there.
    if (query.get('show') && hasGone()) document.getElementById('deliveries')?.focus()
  }, [])
  const [isEditing, setEditing] = useState(false)
  // What was sent is read anew after a test.
  const [sent, setSent] = useState(0)
  // So is the state, once something has been tried.
  const [tried, setTried] = useState(0)
  const { id, description, types, created_at, updated_at } = webhook
  return (
    <>
      <div class="two-thirds">
        <section class="card" aria-labelledby="settings">
          <div class="card-head">
            <h2 id="settings">{texts.connections.settings}</h2>
            {!isEditing && (
              <button type="button" onClick={() => setEditing(true)}>
                {texts.common.edit}
              </button>
            )}
          </div>
          {isEditing ? (
            <EditWebhook
              webhook={webhook}
              etag={etag}
              onEnd={(hasChanged) => {
                setEditing(false)
                if (hasChanged) read.again()
              }}
            />
          ) : (
            <Facts
              facts={[
                [texts.connections.description, description],
                [texts.connections.events, typesText(types, texts)],
                [texts.connections.created, <Time key="created" at={created_at} />],
                [texts.connections.changed, <Time key="changed" at={updated_at} />],
              ]}
            />
          )}
        </section>
        <Actions webhook={webhook} etag={etag} round={tried} again={read.again} onSent={() => setSent(sent + 1)} />
      </div>
      <Deliveries
        key={`${id} ${etag} ${sent}`}
        webhook={webhook}
        query={query}
        isExpected={sent > 0}
        onTried={setTried}
      />
    </>
  )
}

type Action = 'ROTATE' | 'DELETE' | 'DISABLE' | 'REPLAY'

type ActionsProperties = Shown & { round: number; again: () => void; onSent: () => void }

function Actions({ webhook, etag, round, again, onSent }: ActionsProperties) {
  const texts = useTexts()
  const [asked, setAsked] = useState<Action>()
  const [secret, setSecret] = useState<string>()
  const { run, isBusy, problem } = useAction(again)
  const close = () => setAsked(undefined)
  const params = { path: { webhook_id: webhook.id }, header: { 'if-match': etag } }
  const enable = (enabled: boolean) => api.PATCH(path, { params, body: { enabled } })
  const test = () =>
    run(async () => {
      await api.POST('/api/admin/organisations/v4/webhooks/{webhook_id}/test', { params: { path: params.path } })
      say(texts.connections.tested)
      onSent()
    })
  return (
    <section class="card" aria-labelledby="state">
      <h2 id="state">{texts.connections.state}</h2>
      <p>
        <WebhookState webhook={webhook} round={round} />
      </p>
      <p>{texts.connections.statesMean[webhook.state]}</p>
      <Problem problem={problem} />
      <div class="stack">
        {webhook.enabled ? (
          <>
            <button type="button" aria-disabled={isBusy} onClick={test}>
              {texts.connections.test}
            </button>
            <button type="button" onClick={() => setAsked('REPLAY')}>
              {texts.connections.replay}
            </button>
            <button type="button" onClick={() => setAsked('ROTATE')}>
              {texts.connections.rotateSecret}
            </button>
            <button type="button" onClick={() => setAsked('DISABLE')}>
              {texts.connections.disable}
            </button>
          </>
        ) : (
          <button
            type="button"
            class="primary"
            aria-disabled={isBusy}
            onClick={() =>
              run(async () => {
                await enable(true)
                say(texts.connections.enabled)
                again()
              })
            }
          >
            {texts.connections.enable}
          </button>
        )}
        <button type="button" class="dangerous-quiet" onClick={() => setAsked('DELETE')}>
          {texts.connections.delete}
        </button>
      </div>
      {asked === 'REPLAY' && <Replay webhookId={webhook.id} onClose={close} onBegun={onSent} />}
      {asked === 'ROTATE' && (
        <Confirm
          title={texts.connections.rotateSecretTitle}
          action={texts.connections.rotateSecret}
          onClose={close}
          again={again}
          onConfirm={async () => {
            const { data } = await api.POST('/api/admin/organisations/v4/webhooks/{webhook_id}/rotate', { params })
            setSecret(data.secret)
          }}
        >
          <p>{texts.connections.rotateSecretMeans}</p>
        </Confirm>
      )}
      {asked === 'DISABLE' && (
        <Confirm
          title={texts.connections.disableTitle}
          action={texts.connections.disable}
          isDangerous
          onClose={close}
          again={again}
          onConfirm={async () => {
            await enable(false)
            say(texts.connections.isDisabled)
            again()
          }}
        >
          <p>{texts.connections.disableMeans}</p>
        </Confirm>
      )}
      {asked === 'DELETE' && (
        <Confirm
          title={texts.connections.deleteTitle}
          action={texts.connections.delete}
          isDangerous
          onClose={close}
          again={again}
          onConfirm={async () => {
            await api.DELETE(path, { params })
            say(texts.connections.deleted)
            go(linkTo('connections'))
          }}
        >
          <p>{texts.connections.deleteMeans}</p>
        </Confirm>
      )}
      {secret && (
        <Secret
          title={texts.connections.webhookSecret}
          means={texts.connections.webhookSecretMeans}
          secret={secret}
          onClose={() => {
            setSecret(undefined)
            again()
          }}
        />
      )}
    </section>
  )
}
