import { useState } from 'preact/hooks'
import { changeQuery, go, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { type Total, useList } from '../data/useList.ts'
import { useRead } from '../data/useRead.ts'
import { Badge } from '../parts/Badge.tsx'
import { Empty } from '../parts/Empty.tsx'
import { SelectField } from '../parts/Field.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { NewGroup } from '../parts/NewNamed.tsx'
import { Page } from '../parts/Page.tsx'
import { PagedTable } from '../parts/PagedTable.tsx'
import { Search } from '../parts/Search.tsx'
import type { ScreenProperties } from '../screens.ts'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'
import { GroupTree } from './GroupTree.tsx'

const statuses = ['ACTIVE', 'ARCHIVED'] as const
type Status = (typeof statuses)[number]
const list = '/api/admin/users/v4/user-groups'

/** The tree of groups; a search shows what matches in one list. */
export default function Groups({ query }: ScreenProperties) {
  const texts = useTexts()
  const [isNew, setNew] = useState(false)
  const search = query.get('search') ?? ''
  const status = statuses.find((one) => one === query.get('status')) ?? 'ACTIVE'
  const root = useRead('root group', async (signal) => {
    const params = { query: { type: ['ROOT' as const] } }
    return (await api.GET(list, { signal, params })).data.groups[0]
  })
  return (
    <Page
      title={texts.groups.title}
      intro={texts.groups.intro}
      actions={
        root.data && (
          <button type="button" class="primary" onClick={() => setNew(true)}>
            {texts.groups.newGroup}
          </button>
        )
      }
    >
      <div class="toolbar">
        <Search label={texts.groups.search} query={query} />
        <SelectField<Status>
          name="status"
          label={texts.groups.show}
          value={status}
          onValue={(next) => changeQuery({ status: next, page: null })}
          options={statuses.map((one) => ({ value: one, text: texts.groups.statuses[one] }))}
        />
      </div>
      {search.trim() || status === 'ARCHIVED' ? (
        <Found search={search} status={status} cursor={query.get('page')} />
      ) : (
        <section class="card" aria-label={texts.groups.tree}>
          <Loaded read={root}>{(group) => group && <GroupTree root={group} />}</Loaded>
        </section>
      )}
      {isNew && root.data && (
        <NewGroup
          below={{ value: root.data.id, text: root.data.title?.text ?? root.data.id }}
          title={texts.groups.newGroup}
          onClose={() => setNew(false)}
          create={async (body) => {
            const { data } = await api.POST(list, { body })
            setNew(false)
            say(texts.groups.created_)
            go(linkTo('group', { id: data.id }))
          }}
        />
      )}
    </Page>
  )
}

function Found({ search, status, cursor }: { search: string; status: Status; cursor: string | null }) {
  const texts = useTexts()
  const countText = ({ count }: Total) => texts.groups.count(count)
  const { page, total } = useList(
    JSON.stringify(['groups', search, status]),
    cursor,
    async (paging, signal) => {
      const filter = { status: [status], ...(search.trim() ? { search_term: search } : {}) }
      const embed = ['PATH' as const, 'NUMBER_OF_CONTAINED_USERS' as const]
      return (await api.GET(list, { signal, params: { query: { ...filter, ...paging, embed } } })).data
    },
    countText,
  )
  return (
    <Loaded read={page}>
      {({ groups, pagination }) => (
        <PagedTable
          empty={<Empty title={texts.common.nothingMatches} />}
          caption={texts.groups.title}
          rows={groups}
          keyOf={({ id }) => id}
          isOld={page.isOld}
          columns={[
            {
              key: 'title',
              title: texts.groups.name,
              isHeader: true,
              cell: ({ id, title, status: state, path = [] }) => (
                <>
                  <a href={linkTo('group', { id })} dir="auto">
                    {title?.text ?? id}
                  </a>{' '}
                  {state === 'ARCHIVED' && <Badge>{texts.groups.statuses.ARCHIVED}</Badge>}
                  <span class="note" dir="auto">
                    {path
                      .slice(0, -1)
                      .map((one) => one.title?.text ?? one.id)
                      .join(' › ')}
                  </span>
                </>
              ),
            },
            {
              key: 'members',
              title: texts.groups.members,
              cell: ({ number_of_contained_users: number = 0 }) => texts.number(number),
            },
          ]}
          cursor={cursor}
          next={pagination.next_cursor}
        >
          {total && <p class="count">{countText(total)}</p>}
        </PagedTable>
      )}
    </Loaded>
  )
}
