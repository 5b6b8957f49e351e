import { linkTo } from '../address.ts'
import type { Column } from '../parts/Table.tsx'
import { Time } from '../parts/Time.tsx'
import type { Texts } from '../texts/texts.ts'
import { attributeValue, fullName, type User } from './peopleQuery.ts'
import { StatusBadge } from './StatusBadge.tsx'

const text = (value: string | null | undefined) => value && <span dir="auto">{value}</span>

/** A name for computers, which breaks after the signs between its words, and not within one as long as there is room. */
const address = (value: string | null | undefined) =>
  value && (
    <span dir="auto">
      {value.split(/(?<=[.@_])/).map((part) => (
        <>
          {part}
          <wbr />
        </>
      ))}
    </span>
  )

/** All columns of the people screen; the name is always shown. */
export const allColumns = (texts: Texts): Column<User>[] => [
  {
    key: 'name',
    title: texts.people.name,
    sort: 'LAST_NAME',
    sortTitle: texts.person.lastName,
    isHeader: true,
    cell: (user) => (
      <a href={linkTo('person', { id: user.id })} dir="auto">
        {fullName(user)}
      </a>
    ),
  },
  { key: 'username', title: texts.people.username, sort: 'USERNAME', cell: ({ username }) => address(username) },
  { key: 'email', title: texts.people.email, sort: 'EMAIL', cell: ({ email }) => address(email) },
  {
    key: 'department',
    title: texts.people.department,
    sort: 'DEPARTMENT',
    cell: (user) => text(attributeValue(user, 'department')),
  },
  {
    key: 'location',
    title: texts.people.location,
    sort: 'LOCATION',
    cell: (user) => text(attributeValue(user, 'location')),
  },
  { key: 'job', title: texts.people.job, cell: (user) => text(attributeValue(user, 'job_title')) },
  { key: 'group', title: texts.people.group, cell: ({ primary_user_group: group }) => text(group?.title?.text) },
  { key: 'tags', title: texts.people.tags, cell: ({ tags }) => text(tags.map(({ name }) => name).join(', ')) },
  { key: 'externalId', title: texts.people.externalId, cell: ({ external_id }) => text(external_id) },
  {
    key: 'role',
    title: texts.people.role,
    sort: 'ROLE',
    cell: ({ role }) => <span class="word">{texts.role[role]}</span>,
  },
  { key: 'status', title: texts.people.status, sort: 'STATUS', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'created',
    title: texts.people.created,
    sort: 'CREATED_AT',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    key: 'updated',
    title: texts.people.updated,
    sort: 'UPDATED_AT',
    cell: ({ updated_at }) => <Time at={updated_at} />,
  },
]

const storageKey = 'rollcall.people.columns'
const usual = ['username', 'department', 'location', 'role', 'status']

/** Which columns this person wants to see on this device. */
export const storedColumns = (): string[] => localStorage.getItem(storageKey)?.split(',') ?? usual
export const storeColumns = (keys: readonly string[]): void => localStorage.setItem(storageKey, keys.join(','))
