import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import type { RoleOption } from '../data/choices.ts'
import { type GrowingList, useGrowing } from '../data/useGrowing.ts'
import { useSettled } from '../data/useRead.ts'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { Confirm } from './Confirm.tsx'
import { TextField } from './Field.tsx'
import { Growing } from './Growing.tsx'
import { LinkTo } from './LinkTo.tsx'
import { RoleGiver } from './RoleGiver.tsx'
import { Table } from './Table.tsx'

/** A role that somebody holds, in words. */
export type Member = {
  user_id: string
  role_id: string
  name: string
  department?: string | null | undefined
  /** Its title, where the list has it. */
  role?: string | undefined
  source: ComponentChildren
  mayRemove: boolean
  /** Why it may not be taken away, where there is something to say. */
  kept?: string | undefined
}

type Page = Parameters<Parameters<typeof useGrowing>[1]>[0]
type Properties = {
  /** What the list depends on beside the search. */
  of: string
  read: (
    page: Page & { search_term?: string },
    signal: AbortSignal | null,
  ) => Promise<{ items: Member[]; next: string | null }>
  /** Whether a filter is set beside the search, and what a list says that is empty without one. */
  isFiltered?: boolean
  none: string
  /** A filter beside the search. */
  filter: ComponentChildren
  /** The titles of roles by id. */
  titles?: ReadonlyMap<string, string> | undefined
  isActive: boolean
  /** The roles that may be given. */
  roles: (signal: AbortSignal) => Promise<RoleOption[]>
  give: (userId: string, roleId: string) => Promise<unknown>
  remove: (member: Member) => Promise<unknown>
  /** The group or channel. */
  place: string
  removalMeans: string
  onChanged?: () => void
}

/** Who holds a role in a group or on a channel, and why. */
export function Members(properties: Properties) {
  const {
    of,
    read,
    isFiltered = false,
    none,
    filter,
    titles,
    isActive,
    roles,
    give,
    remove,
    place,
    removalMeans,
    onChanged,
  } = properties
  const texts = useTexts()
  const [typed, setTyped] = useState('')
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Member>()
  const search = useSettled(typed)
  const list = useGrowing(`members of ${of} ${search}`, (page, signal) =>
    read({ ...page, ...(search.trim() ? { search_term: search } : {}) }, signal),
  )
  const roleOf = ({ role, role_id }: Member) => role ?? titles?.get(role_id) ?? role_id
  const changed = (text: string) => {
    say(text)
    list.first.again()
    onChanged?.()
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
        {filter}
      </div>
      <Shown
        list={list}
        none={isFiltered || search.trim() ? texts.groups.noMembers : none}
        titles={titles}
        onRemove={setRemoved}
      />
      {isAdding && (
        <RoleGiver
          title={texts.groups.addMember}
          roles={roles}
          give={give}
          onGiven={(name) => {
            setAdding(false)
            changed(texts.groups.added(name))
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {removed && (
        <Confirm
          title={texts.groups.takeAwayTitle(roleOf(removed), place, removed.name)}
          action={texts.groups.takeAway}
          isDangerous
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await remove(removed)
            changed(texts.groups.takenAway(roleOf(removed), place, removed.name))
          }}
        >
          <p>{removalMeans}</p>
        </Confirm>
      )}
    </section>
  )
}

type ShownProperties = Pick<Properties, 'titles' | 'none'> & {
  list: GrowingList<Member>
  onRemove: (member: Member) => void
}

function Shown({ list, none, titles, onRemove }: ShownProperties) {
  const texts = useTexts()
  return (
    <Growing list={list} none={none} more={texts.groups.moreMembers}>
      {(members) => (
        <Table<Member>
          caption={texts.groups.members}
          rows={members}
          keyOf={({ user_id, role_id }) => `${user_id} ${role_id}`}
          columns={[
            {
              key: 'name',
              title: texts.people.name,
              isHeader: true,
              cell: ({ user_id, name, department }) => (
                <>
                  <LinkTo to={linkTo('person', { id: user_id })}>{name}</LinkTo>
                  {department && (
                    <span class="note" dir="auto">
                      {department}
                    </span>
                  )}
                </>
              ),
            },
            {
              key: 'role',
              title: texts.groups.role,
              cell: ({ role, role_id }) => role ?? titles?.get(role_id) ?? role_id,
            },
            {
              key: 'source',
              title: texts.groups.source,
              cell: ({ source }) => source,
            },
            {
              key: 'remove',
              title: texts.connections.actions,
              cell: (member) =>
                member.mayRemove ? (
                  <button type="button" class="quiet" onClick={() => onRemove(member)}>
                    {texts.groups.takeAway}
                    <span class="visually-hidden"> {member.name}</span>
                  </button>
                ) : (
                  member.kept && <span class="note">{member.kept}</span>
                ),
            },
          ]}
        />
      )}
    </Growing>
  )
}
