import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { rolesOfGroup } from '../data/choices.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { useRead, useSettled } from '../data/useRead.ts'
import { Confirm } from '../parts/Confirm.tsx'
import { SelectField, TextField } from '../parts/Field.tsx'
import { Growing } from '../parts/Growing.tsx'
import { LinkTo } from '../parts/LinkTo.tsx'
import { RoleGiver } from '../parts/RoleGiver.tsx'
import { Table } from '../parts/Table.tsx'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'

type Member = Schemas['GroupAssignment']
const path = '/api/admin/users/v4/user-groups/{group_id}/assignments'
const nameOf = ({ user, id }: Member) => `${user.first_name} ${user.last_name}`.trim() || id.user_id

type Properties = { groupId: string; isActive: boolean; onChanged: () => void }

/** Who holds a role in a group, and why. */
export function GroupMembers({ groupId, isActive, onChanged }: Properties) {
  const texts = useTexts()
  const [typed, setTyped] = useState('')
  const [role, setRole] = useState('')
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Member>()
  const search = useSettled(typed)
  const { data: roles = [] } = useRead(`roles of ${groupId}`, (signal) => rolesOfGroup(groupId, signal))
  const titles = new Map(roles.map(({ value, text }) => [value, text]))
  const list = useGrowing(`members of ${groupId} ${role} ${search}`, async (page, signal) => {
    const filter = { ...(role ? { role_ids: [role] } : {}), ...(search.trim() ? { search_term: search } : {}) }
    const query = { ...filter, ...page, embed: ['ACTIONS' as const] }
    const { data } = await api.GET(path, { signal, params: { path: { group_id: groupId }, query } })
    return { items: data.assignments, next: data.pagination.next_cursor ?? null }
  })
  const changed = (text: string) => {
    say(text)
    list.first.again()
    onChanged()
  }
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
        <SelectField
          name="role"
          label={texts.groups.role}
          value={role}
          onValue={setRole}
          options={[{ value: '', text: texts.common.all }, ...roles]}
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
                cell: (one) => (
                  <>
                    <LinkTo to={linkTo('person', { id: one.id.user_id })}>{nameOf(one)}</LinkTo>
                    {one.user.department && (
                      <span class="note" dir="auto">
                        {one.user.department}
                      </span>
                    )}
                  </>
                ),
              },
              { key: 'role', title: texts.groups.role, cell: ({ id }) => titles.get(id.role_id) ?? id.role_id },
              { key: 'source', title: texts.groups.source, cell: ({ source }) => texts.groups.sources[source] },
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
          roles={(signal) => rolesOfGroup(groupId, signal)}
          give={(user_id, role_id) =>
            api.POST(path, { params: { path: { group_id: groupId } }, body: { user_id, role_id } })
          }
          onGiven={(name) => {
            setAdding(false)
            changed(texts.groups.added(name))
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
            await api.DELETE('/api/admin/users/v4/user-groups/{group_id}/assignments/{user_id}/{role_id}', {
              params: { path: removed.id },
            })
            changed(texts.common.saved)
          }}
        >
          <p>{texts.groups.takeAwayMeans}</p>
        </Confirm>
      )}
    </section>
  )
}
