import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { rolesOfChannel } from '../data/choices.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { useSettled } from '../data/useRead.ts'
import { Confirm } from '../parts/Confirm.tsx'
import { SelectField, TextField } from '../parts/Field.tsx'
import { Growing } from '../parts/Growing.tsx'
import { LinkTo } from '../parts/LinkTo.tsx'
import { RoleGiver } from '../parts/RoleGiver.tsx'
import { Table } from '../parts/Table.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'

type Member = Schemas['ChannelAssignment']
const path = '/api/admin/channels/v4/channels/{channel_id}/assignments/users'
const sources = ['MANUAL', 'USER_GROUP'] as const

const nameOf = ({ user, id }: Member) =>
  user ? `${user.first_name} ${user.last_name}`.trim() || id.user_id : id.user_id

/** Who holds a role on a channel: by hand, or through a group. */
export function ChannelMembers({ channelId, isActive }: { channelId: string; isActive: boolean }) {
  const texts = useTexts()
  const [typed, setTyped] = useState('')
  const [source, setSource] = useState<Member['source'] | ''>('')
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Member>()
  const search = useSettled(typed)
  const list = useGrowing(`members of ${channelId} ${source} ${search}`, async (page, signal) => {
    const filter = { ...(source ? { source: [source] } : {}), ...(search.trim() ? { search_term: search } : {}) }
    const embed = ['USER' as const, 'ROLE' as const, 'ACTIONS' as const]
    const params = { path: { channel_id: channelId }, query: { ...filter, ...page, embed } }
    const { data } = await api.GET(path, { signal, params })
    return { items: data.assignments, next: data.pagination.next_cursor ?? null }
  })
  return (
    <section class="card" aria-labelledby="members">
      <div class="card-head">
        <h2 id="members">{texts.groups.members}</h2>
        {isActive && (
          <button type="button" onClick={() => setAdding(true)}>
            {texts.groups.addMember}
          </button>
        )}
      </div>
      <div class="toolbar">
        <TextField
          name="member"
          type="search"
          label={texts.groups.searchMembers}
          max={200}
          value={typed}
          onValue={setTyped}
        />
        <SelectField<Member['source'] | ''>
          name="source"
          label={texts.groups.source}
          value={source}
          onValue={setSource}
          options={[
            { value: '', text: texts.common.all },
            ...sources.map((one) => ({ value: one, text: texts.channels.sources[one] })),
          ]}
        />
      </div>
      <Growing list={list} none={texts.groups.noMembers} more={texts.groups.moreMembers}>
        {(members) => (
          <Table<Member>
            caption={texts.groups.members}
            rows={members}
            keyOf={({ id }) => `${id.user_id} ${id.role_id}`}
            columns={[
              {
                key: 'name',
                title: texts.people.name,
                isHeader: true,
                cell: (one) => <LinkTo to={linkTo('person', { id: one.id.user_id })}>{nameOf(one)}</LinkTo>,
              },
              { key: 'role', title: texts.groups.role, cell: ({ role, id }) => role?.title?.text ?? id.role_id },
              { key: 'source', title: texts.groups.source, cell: (one) => texts.channels.sources[one.source] },
              {
                key: 'remove',
                title: texts.connections.actions,
                cell: (one) =>
                  one.actions?.delete.allowed && (
                    <button type="button" class="quiet" onClick={() => setRemoved(one)}>
                      {texts.groups.takeAway}
                      <span class="visually-hidden"> {nameOf(one)}</span>
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Growing>
      {isAdding && (
        <RoleGiver
          title={texts.groups.addMember}
          roles={(signal) => rolesOfChannel(channelId, signal)}
          give={(user_id, role_id) =>
            api.POST('/api/admin/channels/v4/channels/{channel_id}/assignments/users/{user_id}/roles', {
              params: { path: { channel_id: channelId, user_id } },
              body: { role_id },
            })
          }
          onGiven={(name) => {
            setAdding(false)
            say(texts.groups.added(name))
            list.first.again()
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {removed && (
        <Confirm
          title={texts.groups.takeAwayTitle(nameOf(removed))}
          action={texts.groups.takeAway}
          isDangerous
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            const { user_id, role_id } = removed.id
            await api.DELETE(
              '/api/admin/channels/v4/channels/{channel_id}/assignments/users/{user_id}/roles/{role_id}',
              { params: { path: { channel_id: channelId, user_id, role_id } } },
            )
            say(texts.common.saved)
            list.first.again()
          }}
        >
          <p>{texts.channels.removalMeans}</p>
        </Confirm>
      )}
    </section>
  )
}
