import { useState } from 'preact/hooks'
import { changeQuery, go, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { type Total, useList } from '../data/useList.ts'
import { Badge } from '../parts/Badge.tsx'
import { Empty } from '../parts/Empty.tsx'
import { SelectField } from '../parts/Field.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { NewNamed } from '../parts/NewNamed.tsx'
import { Page } from '../parts/Page.tsx'
import { PagedTable } from '../parts/PagedTable.tsx'
import { Search } from '../parts/Search.tsx'
import { Time } from '../parts/Time.tsx'
import type { ScreenProperties } from '../screens.ts'
import { say } from '../shell/announce.tsx'
import { useTexts } from '../texts/texts.ts'

const sorts = ['CHANNEL_NAME_ASC', 'CHANNEL_NAME_DESC', 'CREATED_AT_ASC', 'CREATED_AT_DESC'] as const
const statuses = ['ACTIVE', 'ARCHIVED'] as const

/** All channels: through them one call reaches many people. */
export default function Channels({ query }: ScreenProperties) {
  const texts = useTexts()
  const [isNew, setNew] = useState(false)
  const search = query.get('search') ?? ''
  const sort = sorts.find((one) => one === query.get('sort')) ?? 'CHANNEL_NAME_ASC'
  const status = statuses.find((one) => one === query.get('status')) ?? 'ACTIVE'
  const cursor = query.get('page')
  const countText = ({ count }: Total) => texts.channels.count(count)
  const { page, total } = useList(
    JSON.stringify(['channels', search, sort, status]),
    cursor,
    async (paging, signal) => {
      const filter = { status: [status], ...(search.trim() ? { search_term: search } : {}) }
      const params = { query: { ...filter, ...paging, sort: [sort] } }
      return (await api.GET('/api/admin/channels/v4/channels', { signal, params })).data
    },
    countText,
  )
  return (
    <Page
      title={texts.channels.title}
      intro={texts.channels.intro}
      actions={
        <button type="button" class="primary" onClick={() => setNew(true)}>
          {texts.channels.create}
        </button>
      }
    >
      <div class="toolbar">
        <Search label={texts.channels.search} query={query} />
        <SelectField
          name="status"
          label={texts.groups.show}
          value={status}
          onValue={(next) => changeQuery({ status: next, page: null })}
          options={statuses.map((one) => ({ value: one, text: texts.groups.statuses[one] }))}
        />
      </div>
      <Loaded read={page}>
        {({ channels, pagination }) => (
          <PagedTable
            empty={<Empty title={search ? texts.common.nothingMatches : texts.channels.none} />}
            caption={texts.channels.title}
            columns={[
              {
                key: 'title',
                title: texts.groups.name,
                sort: 'CHANNEL_NAME',
                isHeader: true,
                cell: ({ id, title, description, status: state }) => (
                  <>
                    <a href={linkTo('channel', { id })} dir="auto">
                      {title?.text ?? id}
                    </a>{' '}
                    {state === 'ARCHIVED' && <Badge>{texts.groups.statuses.ARCHIVED}</Badge>}
                    {description && (
                      <span class="note" dir="auto">
                        {description.text}
                      </span>
                    )}
                  </>
                ),
              },
              {
                key: 'created',
                title: texts.groups.created,
                sort: 'CREATED_AT',
                cell: ({ created_at }) => <Time at={created_at} />,
              },
            ]}
            rows={channels}
            keyOf={({ id }) => id}
            sort={sort}
            isOld={page.isOld}
            cursor={cursor}
            next={pagination.next_cursor}
          >
            {total && <p class="count">{countText(total)}</p>}
          </PagedTable>
        )}
      </Loaded>
      {isNew && (
        <NewNamed
          title={texts.channels.create}
          onClose={() => setNew(false)}
          create={async (body) => {
            const { data } = await api.POST('/api/admin/channels/v4/channels', { body })
            setNew(false)
            say(texts.channels.created)
            go(linkTo('channel', { id: data.id }))
          }}
        />
      )}
    </Page>
  )
}
