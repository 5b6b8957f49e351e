import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { findGroups, rolesOfChannel } from '../data/choices.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { Badge } from '../parts/Badge.tsx'
import { Confirm } from '../parts/Confirm.tsx'
import { Growing } from '../parts/Growing.tsx'
import { RoleGiver } from '../parts/RoleGiver.tsx'
import { Table } from '../parts/Table.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'

type Attached = Schemas['ChannelGroup']
const path = '/api/admin/channels/v4/channels/{channel_id}/assignments/user-groups'
type Properties = { channelId: string; isActive: boolean; onChanged: () => void }

/** The groups whose members belong to a channel, those of the groups below included. */
export function ChannelGroups({ channelId, isActive, onChanged }: Properties) {
  const texts = useTexts()
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Attached>()
  const params = { path: { channel_id: channelId } }
  const list = useGrowing(`groups of ${channelId}`, async (page, signal) => {
    const { data } = await api.GET(path, { signal, params: { ...params, query: page } })
    return { items: data.assignments, next: data.pagination.next_cursor ?? null }
  })
  const changed = () => {
    setAdding(false)
    list.first.again()
    onChanged()
  }
  const titleOf = ({ id, user_group }: Attached) => user_group.title?.text ?? id
  return (
    <section class="card" aria-labelledby="groups">
      <div class="card-head">
        <h2 id="groups">{texts.channels.groups}</h2>
        {isActive && (
          <button type="button" onClick={() => setAdding(true)}>
            {texts.channels.addGroup}
          </button>
        )}
      </div>
      <p class="hint">{texts.channels.groupsMean}</p>
      <Growing list={list} none={texts.channels.noGroups} more={texts.groups.more}>
        {(groups) => (
          <Table<Attached>
            caption={texts.channels.groups}
            rows={groups}
            keyOf={({ id }) => id}
            columns={[
              {
                key: 'group',
                title: texts.groups.one,
                isHeader: true,
                cell: (one) => (
                  <>
                    <a href={linkTo('group', { id: one.id })} dir="auto">
                      {titleOf(one)}
                    </a>{' '}
                    {one.user_group.status === 'ARCHIVED' && <Badge>{texts.groups.statuses.ARCHIVED}</Badge>}
                  </>
                ),
              },
              {
                key: 'remove',
                title: texts.connections.actions,
                cell: (one) => (
                  <button type="button" class="quiet" onClick={() => setRemoved(one)}>
                    {texts.common.remove(titleOf(one))}
                  </button>
                ),
              },
            ]}
          />
        )}
      </Growing>
      {isAdding && (
        <RoleGiver
          title={texts.channels.addGroup}
          label={texts.groups.one}
          search={findGroups}
          roles={(signal) => rolesOfChannel(channelId, signal)}
          give={(user_group_id, role_id) => api.POST(path, { params, body: { user_group_id, role_id } })}
          onGiven={(name) => {
            say(texts.channels.groupAdded(name))
            changed()
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {removed && (
        <Confirm
          title={texts.common.remove(titleOf(removed))}
          action={texts.groups.takeAway}
          isDangerous
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await api.DELETE('/api/admin/channels/v4/channels/{channel_id}/assignments/user-groups/{user_group_id}', {
              params: { path: { channel_id: channelId, user_group_id: removed.id } },
            })
            say(texts.common.saved)
            changed()
          }}
        >
          <p>{texts.channels.groupRemovalMeans}</p>
        </Confirm>
      )}
    </section>
  )
}
