import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { useRead } from '../data/useRead.ts'
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
  const below = useGroupsBelow(list.items)
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
    { key: 'why', title: texts.person.why, cell: (held) => <Why held={held} below={below} /> },
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

/** So many of a person's groups are looked at for the groups above them. */
const mostGroups = 20

/** The groups of a person by each group above them; read only if a role comes through a group that the person is not in. */
function useGroupsBelow(held: readonly Held[]): ReadonlyMap<string, string[]> {
  const own = [...new Set(held.flatMap(({ kind, target }) => (kind === 'USER_GROUP' ? [target.id] : [])))]
  const isAsked = held.some(({ through }) => through.some(({ user_group: { id } }) => !own.includes(id)))
  const { data } = useRead(isAsked ? `groups above ${own.join()}` : null, (signal) =>
    Promise.all(
      own.slice(0, mostGroups).map(async (group_id) => {
        const params = { path: { group_id }, query: { embed: ['PATH' as const] } }
        return (await api.GET('/api/admin/users/v4/user-groups/{group_id}', { signal, params })).data.path ?? []
      }),
    ),
  )
  const below = new Map<string, string[]>()
  for (const path of data ?? []) {
    const lowest = path.at(-1)
    for (const { id } of path.slice(0, -1)) below.set(id, [...(below.get(id) ?? []), lowest?.title?.text ?? ''])
  }
  for (const id of own) below.delete(id)
  return below
}

function Why({
  held: { source, target, rules, through },
  below,
}: {
  held: Held
  below: ReadonlyMap<string, string[]>
}) {
  const texts = useTexts()
  const causes = [
    ...rules.map(({ id, title }) => ({ id, title, to: linkTo('rule', { id }), groups: [] as string[] })),
    ...through.map(({ user_group: { id, title } }) => ({
      id,
      title: title?.text ?? id,
      to: linkTo('group', { id }),
      groups: below.get(id) ?? [],
    })),
  ]
  // No rule has given it if a file has brought it: the group is the place to look.
  const isNameless = source === 'RULE' && rules.length === 0
  if (isNameless)
    return (
      <>
        {texts.person.byRuleOf}{' '}
        <LinkTo to={linkTo('group', { id: target.id })}>{target.title?.text ?? target.id}</LinkTo>
      </>
    )
  return (
    <>
      {texts.person.source[source]}{' '}
      {causes.map(({ id, title, to, groups }, n) => (
        <span key={id}>
          {n > 0 && ', '}
          <LinkTo to={to}>{title}</LinkTo>
          {groups.length > 0 && <span class="note">{texts.person.asBelow(groups.join(', '))}</span>}
        </span>
      ))}
      {(source === 'PRIMARY' || source === 'RULE') && <span class="note">{texts.person.ends[source]}</span>}
    </>
  )
}
