import { useState } from 'preact/hooks'
import { api, type Schemas } from '../data/api.ts'
import { rolesOfChannel } from '../data/choices.ts'
import { SelectField } from '../parts/Field.tsx'
import { Members } from '../parts/Members.tsx'
import { useTexts } from '../texts/texts.ts'

type Source = Schemas['ChannelAssignment']['source']
const path = '/api/admin/channels/v4/channels/{channel_id}/assignments/users'
const sources = ['MANUAL', 'USER_GROUP'] as const

type Properties = { channelId: string; title: string; isActive: boolean }

/** Who holds a role on a channel: by hand, or through a group. */
export function ChannelMembers({ channelId, title, isActive }: Properties) {
  const texts = useTexts()
  const [source, setSource] = useState<Source | ''>('')
  return (
    <Members
      of={`${channelId} ${source}`}
      isFiltered={source !== ''}
      none={texts.channels.noMembers}
      read={async (page, signal) => {
        const embed = ['USER' as const, 'ROLE' as const, 'ACTIONS' as const]
        const query = { ...page, ...(source ? { source: [source] } : {}), embed }
        const { data } = await api.GET(path, { signal, params: { path: { channel_id: channelId }, query } })
        const items = data.assignments.map(({ id, user, role, actions, ...one }) => ({
          ...id,
          name: user ? `${user.first_name} ${user.last_name}`.trim() || id.user_id : id.user_id,
          role: role?.title?.text,
          source: texts.channels.sources[one.source],
          mayRemove: actions?.delete.allowed ?? false,
          kept:
            isActive && one.source === 'MANUAL' && role?.predefined_role_type === 'CHANNEL_OWNER'
              ? texts.channels.lastOwner
              : undefined,
        }))
        return { items, next: data.pagination.next_cursor ?? null }
      }}
      filter={
        <SelectField<Source | ''>
          name="source"
          label={texts.groups.source}
          value={source}
          onValue={setSource}
          options={[
            { value: '', text: texts.common.all },
            ...sources.map((one) => ({ value: one, text: texts.channels.sources[one] })),
          ]}
        />
      }
      isActive={isActive}
      roles={(signal) => rolesOfChannel(channelId, signal)}
      give={(user_id, role_id) =>
        api.POST('/api/admin/channels/v4/channels/{channel_id}/assignments/users/{user_id}/roles', {
          params: { path: { channel_id: channelId, user_id } },
          body: { role_id },
        })
      }
      remove={({ user_id, role_id }) =>
        api.DELETE('/api/admin/channels/v4/channels/{channel_id}/assignments/users/{user_id}/roles/{role_id}', {
          params: { path: { channel_id: channelId, user_id, role_id } },
        })
      }
      place={title}
      removalMeans={texts.channels.removalMeans}
    />
  )
}
