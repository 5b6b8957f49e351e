import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { codeOf } from '../data/problem.ts'
import { type Read, useRead } from '../data/useRead.ts'
import { Badge } from '../parts/Badge.tsx'
import { Confirm } from '../parts/Confirm.tsx'
import { Facts } from '../parts/Facts.tsx'
import { HistoryLink } from '../parts/HistoryLink.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { localizedFrom, localizedToSend } from '../parts/LocalizedFields.tsx'
import { Page } from '../parts/Page.tsx'
import { TextsForm } from '../parts/TextsForm.tsx'
import { Time } from '../parts/Time.tsx'
import type { ScreenProperties } from '../screens.ts'
import { say } from '../shell/announce.tsx'
import { bestText } from '../texts/bestText.ts'
import { useTexts } from '../texts/texts.ts'
import { ChannelGroups } from './ChannelGroups.tsx'
import { ChannelMembers } from './ChannelMembers.tsx'

const path = '/api/admin/channels/v4/channels/{channel_id}'
type Shown = { channel: Schemas['Channel']; etag: string }

const readChannel = async (id: string, signal: AbortSignal | null = null): Promise<Shown> => {
  const { data, response } = await api.GET(path, { signal, params: { path: { channel_id: id } } })
  return { channel: data, etag: response.headers.get('etag') ?? '*' }
}

/** One channel: what it is for, its members, and the groups that bring some of them. */
export default function Channel({ query }: ScreenProperties) {
  const texts = useTexts()
  const id = query.get('id') ?? ''
  const read = useRead(id, (signal) => readChannel(id, signal))
  const back = <a href={linkTo('channels')}>{texts.channels.back}</a>
  if (codeOf(read.problem) === 'CHANNEL_NOT_FOUND') return <Page title={texts.errors.CHANNEL_NOT_FOUND} back={back} />
  const title = read.data ? bestText(read.data.channel.title, texts) : texts.channels.one
  return (
    <Page title={title} back={back} actions={read.data && <HistoryLink kind="channel" id={id} />}>
      <Loaded read={read}>{(shown) => <All shown={shown} read={read} />}</Loaded>
    </Page>
  )
}

function All({ shown: { channel, etag }, read }: { shown: Shown; read: Read<Shown> }) {
  const texts = useTexts()
  // Members change with the groups of the channel.
  const [version, setVersion] = useState(0)
  const isActive = channel.status === 'ACTIVE'
  const changed = () => setVersion(version + 1)
  return (
    <>
      <About key={channel.id} shown={{ channel, etag }} read={read} />
      {!isActive && <p class="hint">{texts.channels.archivedMeans}</p>}
      <ChannelGroups channelId={channel.id} isActive={isActive} onChanged={changed} />
      <ChannelMembers key={version} channelId={channel.id} title={bestText(channel.title, texts)} isActive={isActive} />
    </>
  )
}

function About({ shown: { channel, etag }, read }: { shown: Shown; read: Read<Shown> }) {
  const texts = useTexts()
  const [isEditing, setEditing] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const isActive = channel.status === 'ACTIVE'
  const params = { path: { channel_id: channel.id } }
  const versionOf = ({ channel: one, etag: tag }: Shown) => ({
    value: { title: localizedFrom(one.title), description: localizedFrom(one.description) },
    etag: tag,
  })
  return (
    <section class="card" aria-labelledby="about">
      <div class="card-head">
        <h2 id="about">{texts.groups.about}</h2>
        <Badge tone={isActive ? 'good' : 'calm'}>{texts.groups.statuses[channel.status]}</Badge>
        {!isEditing && (
          <div class="actions">
            {isActive && (
              <button type="button" onClick={() => setEditing(true)}>
                {texts.common.edit}
              </button>
            )}
            <button type="button" onClick={() => setAsked(true)}>
              {isActive ? texts.groups.archive : texts.groups.restore}
            </button>
          </div>
        )}
      </div>
      {isEditing ? (
        <TextsForm
          record={{ kind: 'channel', id: channel.id }}
          version={versionOf({ channel, etag })}
          save={({ title, description }, tag) =>
            api.PATCH(path, {
              params: { ...params, header: { 'if-match': tag } },
              body: {
                ...(title ? { title: localizedToSend(title) } : {}),
                ...(description ? { description: localizedToSend(description) } : {}),
              },
            })
          }
          read={async () => versionOf(await readChannel(channel.id))}
          onEnd={(hasChanged) => {
            setEditing(false)
            if (hasChanged) read.again()
          }}
        />
      ) : (
        <Facts
          facts={[
            [texts.groups.purpose, bestText(channel.description, texts)],
            [texts.groups.created, <Time key="created" at={channel.created_at} />],
          ]}
        />
      )}
      {isAsked && (
        <Confirm
          title={isActive ? texts.channels.archiveTitle : texts.channels.restoreTitle}
          action={isActive ? texts.groups.archive : texts.groups.restore}
          onClose={() => setAsked(false)}
          again={read.again}
          onConfirm={async () => {
            const call = { params: { ...params, header: { 'if-match': etag } } }
            if (isActive) await api.POST('/api/admin/channels/v4/channels/{channel_id}/archive', call)
            else await api.POST('/api/admin/channels/v4/channels/{channel_id}/restore', call)
            say(texts.common.saved)
            read.again()
          }}
        >
          <p>{isActive ? texts.channels.archivedMeans : texts.channels.restoreMeans}</p>
        </Confirm>
      )}
    </section>
  )
}
