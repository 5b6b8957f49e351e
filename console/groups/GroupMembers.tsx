import { useState } from 'preact/hooks'
import { api } from '../data/api.ts'
import { rolesOfGroup } from '../data/choices.ts'
import { useRead } from '../data/useRead.ts'
import { SelectField } from '../parts/Field.tsx'
import { Members } from '../parts/Members.tsx'
import { useTexts } from '../texts/texts.ts'

const path = '/api/admin/users/v4/user-groups/{group_id}/assignments'

type Properties = { groupId: string; title: string; isActive: boolean; onChanged: () => void }

/** Who holds a role in a group, and why. */
export function GroupMembers({ groupId, title, isActive, onChanged }: Properties) {
  const texts = useTexts()
  const [role, setRole] = useState('')
  const { data: roles = [] } = useRead(`roles of ${groupId}`, (signal) => rolesOfGroup(groupId, signal))
  return (
    <Members
      of={`${groupId} ${role}`}
      isFiltered={role !== ''}
      none={isActive ? texts.groups.noMembersYet : texts.groups.noDirectMembers}
      read={async (page, signal) => {
        const embed = ['ACTIONS' as const]
        const query = { ...page, ...(role ? { role_ids: [role] } : {}), embed }
        const { data } = await api.GET(path, { signal, params: { path: { group_id: groupId }, query } })
        const items = data.assignments.map(({ id, user, source, actions }) => ({
          ...id,
          name: `${user.first_name} ${user.last_name}`.trim() || id.user_id,
          department: user.department,
          // A list does not say which rules: all rules of the group stand below it.
          source: source === 'RULE' ? <a href="#rules">{texts.groups.sources.RULE}</a> : texts.groups.sources[source],
          mayRemove: actions?.delete.allowed ?? false,
        }))
        return { items, next: data.pagination.next_cursor ?? null }
      }}
      filter={
        <SelectField
          name="role"
          label={texts.groups.role}
          value={role}
          onValue={setRole}
          options={[{ value: '', text: texts.common.all }, ...roles]}
        />
      }
      titles={new Map(roles.map(({ value, text }) => [value, text]))}
      isActive={isActive}
      roles={(signal) => rolesOfGroup(groupId, signal)}
      give={(user_id, role_id) =>
        api.POST(path, { params: { path: { group_id: groupId } }, body: { user_id, role_id } })
      }
      remove={({ user_id, role_id }) =>
        api.DELETE('/api/admin/users/v4/user-groups/{group_id}/assignments/{user_id}/{role_id}', {
          params: { path: { group_id: groupId, user_id, role_id } },
        })
      }
      place={title}
      removalMeans={texts.groups.takeAwayMeans}
      onChanged={onChanged}
    />
  )
}
