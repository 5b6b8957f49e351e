import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { Badge } from '../parts/Badge.tsx'
import { Growing } from '../parts/Growing.tsx'
import { LinkTo } from '../parts/LinkTo.tsx'
import { type Column, Table } from '../parts/Table.tsx'
import { useTexts } from '../texts/texts.ts'

type Held = Schemas['HeldRole']

const targetOf = ({ kind, target }: Held) => linkTo(kind === 'CHANNEL' ? 'channel' : 'group', { id: target.id })

/** Each role that a person holds, and why: a way to the cause of each. */
export function Access({ userId }: { userId: string }) {
  const texts = useTexts()
  const list = useGrowing(`access ${userId}`, async (page, signal) => {
    const params = { path: { user_id: userId }, query: page }
    const { data } = await api.GET('/api/admin/users/v4/users/{user_id}/access', { signal, params })
    return { items: data.access, next: data.pagination.next_cursor }
  })
  const columns: Column<Held>[] = [
    {
      key: 'where',
      title: texts.person.where,
      isHeader: true,
      cell: (held) => (
        <>
          <LinkTo to={targetOf(held)}>{held.target.title?.text ?? held.target.id}</LinkTo>{' '}
          {held.target.status === 'ARCHIVED' && <Badge>{texts.person.archived}</Badge>}
          <span class="note">{held.kind === 'CHANNEL' ? texts.person.channelKind : texts.person.groupKind}</span>
        </>
      ),
    },
    { key: 'role', title: texts.person.role, cell: ({ role }) => role.title?.text ?? role.id },
    { key: 'why', title: texts.person.why, cell: (held) => <Why held={held} /> },
  ]
  return (
    <section class="card" aria-labelledby="access">
      <h2 id="access">{texts.person.access}</h2>
      <p class="hint">{texts.person.accessIntro}</p>
      <Growing list={list} none={texts.person.accessNone} more={texts.person.moreAccess}>
        {(items) => (
          <Table
            caption={texts.person.access}
            columns={columns}
            rows={items}
            keyOf={({ kind, target, role }) => `${kind} ${target.id} ${role.id}`}
          />
        )}
      </Growing>
    </section>
  )
}

function Why({ held: { source, rules, through } }: { held: Held }) {
  const texts = useTexts()
  const causes = [
    ...rules.map(({ id, title }) => ({ id, title, to: linkTo('rule', { id }) })),
    ...through.map(({ user_group: { id, title } }) => ({ id, title: title?.text ?? id, to: linkTo('group', { id }) })),
  ]
  return (
    <>
      {texts.person.source[source]}{' '}
      {causes.map(({ id, title, to }, n) => (
        <span key={id}>
          {n > 0 && ', '}
          <LinkTo to={to}>{title}</LinkTo>
        </span>
      ))}
    </>
  )
}
