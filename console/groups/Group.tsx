import { useState } from 'preact/hooks'
import { go, linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { codeOf } from '../data/problem.ts'
import { type Read, useRead } from '../data/useRead.ts'
import { Badge } from '../parts/Badge.tsx'
import { Confirm } from '../parts/Confirm.tsx'
import { Facts } from '../parts/Facts.tsx'
import { HistoryLink } from '../parts/HistoryLink.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { localizedFrom, localizedToSend } from '../parts/LocalizedFields.tsx'
import { NewGroup } from '../parts/NewNamed.tsx'
import { Page } from '../parts/Page.tsx'
import { TextsForm } from '../parts/TextsForm.tsx'
import { Time } from '../parts/Time.tsx'
import type { ScreenProperties } from '../screens.ts'
import { say } from '../shell/announce.tsx'
import { bestText } from '../texts/bestText.ts'
import { useTexts } from '../texts/texts.ts'
import { GroupMembers } from './GroupMembers.tsx'
import { GroupRules } from './GroupRules.tsx'
import { GroupsBelow } from './GroupTree.tsx'
import { MoveGroup } from './MoveGroup.tsx'

const path = '/api/admin/users/v4/user-groups/{group_id}'
export type Shown = { group: Schemas['Group']; etag: string }

const readGroup = async (id: string, signal: AbortSignal | null = null): Promise<Shown> => {
  const query = { embed: ['PATH' as const, 'ACTIONS' as const, 'NUMBER_OF_CONTAINED_USERS' as const] }
  const { data, response } = await api.GET(path, { signal, params: { path: { group_id: id }, query } })
  return { group: data, etag: response.headers.get('etag') ?? '*' }
}

/** One group: where it is in the tree, its members and their roles, and the rules that give them. */
export default function Group({ query }: ScreenProperties) {
  const texts = useTexts()
  const id = query.get('id') ?? ''
  const read = useRead(id, (signal) => readGroup(id, signal))
  const back = <a href={linkTo('groups')}>{texts.groups.back}</a>
  if (codeOf(read.problem) === 'USER_GROUP_NOT_FOUND')
    return <Page title={texts.errors.USER_GROUP_NOT_FOUND} back={back} />
  const title = read.data ? bestText(read.data.group.title, texts) : texts.groups.one
  return (
    <Page
      title={title}
      back={read.data ? <Path group={read.data.group} /> : back}
      actions={read.data && <HistoryLink kind="user_group" id={id} />}
    >
      <Loaded read={read}>{(shown) => <All key={shown.group.id} shown={shown} read={read} title={title} />}</Loaded>
    </Page>
  )
}

/** The groups above, from the top down. */
function Path({ group: { path: groups = [] } }: { group: Shown['group'] }) {
  const texts = useTexts()
  return (
    <span>
      <a href={linkTo('groups')}>{texts.groups.back}</a>
      {groups.slice(0, -1).map(({ id, title }) => (
        <span key={id}>
          {' › '}
          <a href={linkTo('group', { id })} dir="auto">
            {title?.text ?? id}
          </a>
        </span>
      ))}
    </span>
  )
}

type AllProperties = { shown: Shown; read: Read<Shown>; title: string }

function All({ shown, read, title }: AllProperties) {
  const texts = useTexts()
  const { group } = shown
  const isActive = group.status === 'ACTIVE'
  return (
    <>
      <About shown={shown} read={read} title={title} />
      {group.type === 'ALL_USERS' && <p class="hint">{texts.groups.allUsersMeans}</p>}
      {!isActive && <p class="hint">{texts.groups.archivedMeans}</p>}
      {/* Both are read anew once the group is archived or restored. */}
      <GroupMembers
        key={`members ${isActive}`}
        groupId={group.id}
        title={title}
        isActive={isActive}
        onChanged={read.again}
      />
      {group.type === 'CUSTOM' && <GroupRules key={`rules ${isActive}`} groupId={group.id} isActive={isActive} />}
      <section class="card" aria-labelledby="below">
        <h2 id="below">{texts.groups.groupsBelow}</h2>
        <GroupsBelow id={group.id} />
      </section>
    </>
  )
}

type Action = 'archive' | 'restore' | 'delete' | 'move' | 'new'

function About({ shown: { group, etag }, read, title }: AllProperties) {
  const texts = useTexts()
  const [isEditing, setEditing] = useState(false)
  const [asked, setAsked] = useState<Action>()
  const allowed = group.actions
  const params = { path: { group_id: group.id } }
  const versionOf = ({ group: one, etag: tag }: Shown) => ({
    value: { title: localizedFrom(one.title), description: localizedFrom(one.description) },
    etag: tag,
  })
  const may = {
    move: allowed?.move.allowed,
    archive: allowed?.archive.allowed,
    restore: allowed?.restore.allowed,
    delete: allowed?.delete.allowed,
  }
  const actions = (['move', 'archive', 'restore', 'delete'] as const).filter((one) => may[one])
  return (
    <section class="card" aria-labelledby="about">
      <div class="card-head">
        <h2 id="about">{texts.groups.about}</h2>
        <Badge tone={group.status === 'ACTIVE' ? 'good' : 'calm'}>{texts.groups.statuses[group.status]}</Badge>
      </div>
      {isEditing ? (
        <TextsForm
          record={{ kind: 'user_group', id: group.id }}
          version={versionOf({ group, etag })}
          save={(changes, tag) =>
            api.PATCH(path, {
              params: { ...params, header: { 'if-match': tag } },
              body: {
                ...(changes.title ? { title: localizedToSend(changes.title) } : {}),
                ...(changes.description ? { description: localizedToSend(changes.description) } : {}),
              },
            })
          }
          read={async () => versionOf(await readGroup(group.id))}
          onEnd={(hasChanged) => {
            setEditing(false)
            if (hasChanged) read.again()
          }}
        />
      ) : (
        <>
          <Facts
            facts={[
              [texts.groups.purpose, bestText(group.description, texts)],
              [texts.groups.members, texts.groups.withBelow(texts.people.count(group.number_of_contained_users ?? 0))],
              [texts.people.externalId, group.external_id],
              [texts.groups.created, <Time key="created" at={group.created_at} />],
            ]}
          />
          <div class="form-actions">
            {allowed?.update.allowed && (
              <button type="button" onClick={() => setEditing(true)}>
                {texts.common.edit}
              </button>
            )}
            {group.status === 'ACTIVE' && (
              <button type="button" onClick={() => setAsked('new')}>
                {texts.groups.newBelow}
              </button>
            )}
            {actions.map((action) => (
              <button
                key={action}
                type="button"
                class={action === 'delete' ? 'dangerous-quiet' : undefined}
                onClick={() => setAsked(action)}
              >
                {texts.groups[action]}
              </button>
            ))}
          </div>
        </>
      )}
      {asked === 'new' && (
        <NewGroup
          below={{ value: group.id, text: title }}
          title={texts.groups.newBelow}
          onClose={() => setAsked(undefined)}
          create={async (body) => {
            const { data } = await api.POST('/api/admin/users/v4/user-groups', {
              body,
            })
            say(texts.groups.created_)
            go(linkTo('group', { id: data.id }))
          }}
        />
      )}
      {asked === 'move' && (
        <MoveGroup
          group={group}
          etag={etag}
          again={read.again}
          onClose={() => setAsked(undefined)}
          onMoved={() => {
            say(texts.common.saved)
            read.again()
          }}
        />
      )}
      {(asked === 'archive' || asked === 'restore' || asked === 'delete') && (
        <Confirm
          title={texts.groups.confirm[asked].title(title)}
          action={texts.groups[asked]}
          isDangerous={asked === 'delete'}
          onClose={() => setAsked(undefined)}
          again={read.again}
          onConfirm={async () => {
            const call = { params: { ...params, header: { 'if-match': etag } } }
            if (asked === 'archive') await api.POST('/api/admin/users/v4/user-groups/{group_id}/archive', call)
            if (asked === 'restore') await api.POST('/api/admin/users/v4/user-groups/{group_id}/restore', call)
            if (asked === 'delete') await api.DELETE(path, call)
            say(texts.common.saved)
            if (asked === 'delete') go(linkTo('groups'))
            else read.again()
          }}
        >
          <p>{texts.groups.confirm[asked].text}</p>
        </Confirm>
      )}
    </section>
  )
}
