import { useState } from 'preact/hooks'
import { api, type Schemas } from '../data/api.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { Badge } from '../parts/Badge.tsx'
import { Confirm } from '../parts/Confirm.tsx'
import { SelectField } from '../parts/Field.tsx'
import { Growing } from '../parts/Growing.tsx'
import { HistoryLink } from '../parts/HistoryLink.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { Time } from '../parts/Time.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { forDirectory, NewToken } from './NewToken.tsx'
import { Secret } from './Secret.tsx'
import { expiryOf } from './tokenExpiry.ts'

type Token = Schemas['ServiceToken']
const path = '/api/admin/organisations/v4/service-tokens'
const one = '/api/admin/organisations/v4/service-tokens/{token_id}'

type Properties = {
  /** Whether a token for a directory is asked for, by a button elsewhere. */
  isForDirectory: boolean
  onAsked: () => void
}

/** Credentials of programs. A token is shown once, when it is made or renewed. */
export function ServiceTokens({ isForDirectory, onAsked }: Properties) {
  const texts = useTexts()
  const [asked, setAsked] = useState<{ what: 'NEW' | 'ROTATE' | 'DELETE'; token?: Token }>()
  const [secret, setSecret] = useState<string>()
  const list = useGrowing('service tokens', async (page, signal) => {
    const { data } = await api.GET(path, { signal, params: { query: page } })
    return { items: data.service_tokens, next: data.pagination.next_cursor ?? null }
  })
  const close = () => {
    setAsked(undefined)
    onAsked()
  }
  const shown = (token: string) => {
    close()
    setSecret(token)
    list.first.again()
  }
  const columns: Column<Token>[] = [
    {
      key: 'name',
      title: texts.connections.name,
      isHeader: true,
      cell: ({ name, scopes }) => (
        <>
          <span dir="auto">{name}</span>
          {scopes.map((scope) => (
            <span key={scope} class="note">
              {texts.connections.scopes[scope as Scope] ?? scope}
            </span>
          ))}
        </>
      ),
    },
    { key: 'expires', title: texts.connections.expires, cell: (token) => <Expiry token={token} /> },
    {
      key: 'used',
      title: texts.connections.lastUsed,
      cell: ({ last_used_at: at }) => (at ? <Time at={at} /> : <span class="none">{texts.connections.never}</span>),
    },
    {
      key: 'actions',
      title: texts.connections.actions,
      cell: (token) => (
        <div class="actions">
          <button type="button" class="quiet" onClick={() => setAsked({ what: 'ROTATE', token })}>
            {texts.connections.rotate}
            <span class="visually-hidden"> {token.name}</span>
          </button>
          <button type="button" class="quiet" onClick={() => setAsked({ what: 'DELETE', token })}>
            {texts.connections.revoke}
            <span class="visually-hidden"> {token.name}</span>
          </button>
          <HistoryLink kind="service_token" id={token.id} of={token.name} />
        </div>
      ),
    },
  ]
  return (
    <section class="card" aria-labelledby="tokens">
      <div class="card-head">
        <h2 id="tokens">{texts.connections.tokens}</h2>
        <button type="button" onClick={() => setAsked({ what: 'NEW' })}>
          {texts.connections.newToken}
        </button>
      </div>
      <p class="hint">{texts.connections.tokensIntro}</p>
      <Growing list={list} none={texts.connections.noTokens} more={texts.connections.moreTokens}>
        {(tokens) => (
          <Table caption={texts.connections.tokens} columns={columns} rows={tokens} keyOf={({ id }) => id} />
        )}
      </Growing>
      {asked?.what === 'NEW' && <NewToken onClose={close} onMade={shown} />}
      {isForDirectory && <NewToken first={forDirectory(texts.connections.directory)} onClose={close} onMade={shown} />}
      {asked?.what === 'ROTATE' && asked.token && <Rotate token={asked.token} onClose={close} onRotated={shown} />}
      {asked?.what === 'DELETE' && asked.token && (
        <Revoke token={asked.token} onClose={close} onRevoked={list.first.again} />
      )}
      {secret && (
        <Secret
          title={texts.connections.newSecret}
          means={texts.connections.newSecretMeans}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </section>
  )
}

type Scope = keyof ReturnType<typeof useTexts>['connections']['scopes']

function Expiry({ token: { expires_at, previous_expires_at } }: { token: Token }) {
  const texts = useTexts()
  const expiry = expiryOf(expires_at)
  return (
    <>
      <Time at={expires_at} /> {expiry === 'OVER' && <Badge tone="bad">{texts.connections.expired}</Badge>}
      {expiry === 'SOON' && <Badge tone="warn">{texts.connections.expiresSoon}</Badge>}
      {previous_expires_at && Date.parse(previous_expires_at) > Date.now() && (
        <span class="note">
          {texts.connections.olderUntil} <Time at={previous_expires_at} />
        </span>
      )}
    </>
  )
}

const overlaps = [0, 60, 1_440, 10_080] as const

function Rotate({
  token,
  onClose,
  onRotated,
}: {
  token: Token
  onClose: () => void
  onRotated: (token: string) => void
}) {
  const texts = useTexts()
  const [minutes, setMinutes] = useState<string>('60')
  return (
    <Confirm
      title={texts.connections.rotateTitle(token.name)}
      action={texts.connections.rotate}
      onClose={onClose}
      onConfirm={async () => {
        const params = { path: { token_id: token.id } }
        const { data } = await api.POST('/api/admin/organisations/v4/service-tokens/{token_id}/rotate', {
          params,
          body: { overlap_minutes: Number(minutes) },
        })
        onRotated(data.token)
      }}
    >
      <p>{texts.connections.rotateMeans}</p>
      <SelectField
        name="overlap"
        label={texts.connections.overlap}
        value={minutes}
        onValue={setMinutes}
        options={overlaps.map((one) => ({ value: String(one), text: texts.connections.overlaps[one] }))}
      />
    </Confirm>
  )
}

function Revoke({ token, onClose, onRevoked }: { token: Token; onClose: () => void; onRevoked: () => void }) {
  const texts = useTexts()
  return (
    <Confirm
      title={texts.connections.revokeTitle(token.name)}
      action={texts.connections.revoke}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await api.DELETE(one, { params: { path: { token_id: token.id } } })
        say(texts.connections.revoked(token.name))
        onRevoked()
      }}
    >
      <p>{texts.connections.revokeMeans}</p>
    </Confirm>
  )
}
