import { linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { useGrowing } from '../data/useGrowing.ts'
import { Growing } from '../parts/Growing.tsx'
import { Table } from '../parts/Table.tsx'
import { useTexts } from '../texts/texts.ts'
import { RuleBadge } from './RuleBadge.tsx'

/** The rules that put people into a group. */
export function GroupRules({ groupId, isActive }: { groupId: string; isActive: boolean }) {
  const texts = useTexts()
  const list = useGrowing(`rules of ${groupId}`, async (page, signal) => {
    const query = { ...page, user_group_id: [groupId] }
    const { data } = await api.GET('/api/admin/users/v4/user-group-rules', { signal, params: { query } })
    return { items: data.rules, next: data.pagination.next_cursor ?? null }
  })
  return (
    <section class="card" aria-labelledby="rules">
      <div class="card-head">
        <h2 id="rules">{texts.rules.title}</h2>
        {isActive && (
          <a class="button" href={linkTo('rule', { group: groupId })}>
            {texts.rules.create}
          </a>
        )}
      </div>
      <p class="hint">{texts.rules.intro}</p>
      <Growing list={list} none={texts.rules.none} more={texts.groups.more}>
        {(rules) => (
          <Table
            caption={texts.rules.title}
            rows={rules}
            keyOf={({ id }) => id}
            columns={[
              {
                key: 'title',
                title: texts.groups.name,
                isHeader: true,
                cell: ({ id, title }) => (
                  <a href={linkTo('rule', { id })} dir="auto">
                    {title}
                  </a>
                ),
              },
              { key: 'role', title: texts.groups.role, cell: ({ role }) => role.title?.text ?? role.id },
              { key: 'state', title: texts.plans.state, cell: (rule) => <RuleBadge rule={rule} /> },
            ]}
          />
        )}
      </Growing>
    </section>
  )
}
