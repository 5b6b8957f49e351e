import { linkTo } from '../address.ts'
import { api, type Schemas } from '../data/api.ts'
import { type Total, useList } from '../data/useList.ts'
import { Empty } from '../parts/Empty.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Page } from '../parts/Page.tsx'
import { PagedTable } from '../parts/PagedTable.tsx'
import { Search } from '../parts/Search.tsx'
import type { Column } from '../parts/Table.tsx'
import type { ScreenProperties } from '../screens.ts'
import { useTexts } from '../texts/texts.ts'
import { fullName } from './peopleQuery.ts'

type Person = Schemas['Person']
const sorts = ['FIRST_NAME_ASC', 'FIRST_NAME_DESC', 'LAST_NAME_ASC', 'LAST_NAME_DESC'] as const

/** The people of the organisation, for everybody: name, department, place and job. */
export function Directory({ query }: ScreenProperties) {
  const texts = useTexts()
  const search = query.get('search') ?? ''
  const sort = sorts.find((one) => one === query.get('sort')) ?? 'LAST_NAME_ASC'
  const cursor = query.get('page')
  const countText = ({ count, isAtLeast }: Total) => (isAtLeast ? texts.people.countAtLeast : texts.people.count)(count)
  const { page, total } = useList(
    JSON.stringify([search, sort]),
    cursor,
    async (paging, signal) => {
      const filter = search.trim() ? { search_term: search } : {}
      return (
        await api.GET('/api/users/v4/users', { signal, params: { query: { ...filter, ...paging, sort: [sort] } } })
      ).data
    },
    countText,
  )
  const columns: Column<Person>[] = [
    {
      key: 'name',
      title: texts.people.name,
      sort: 'LAST_NAME',
      sortTitle: texts.person.lastName,
      isHeader: true,
      cell: (person) => (
        <a href={linkTo('person', { id: person.id })} dir="auto">
          {fullName(person)}
        </a>
      ),
    },
    {
      key: 'department',
      title: texts.people.department,
      cell: ({ department }) => <span dir="auto">{department}</span>,
    },
    { key: 'job', title: texts.people.job, cell: ({ job_title }) => <span dir="auto">{job_title}</span> },
    { key: 'location', title: texts.people.location, cell: ({ location }) => <span dir="auto">{location}</span> },
  ]
  return (
    <Page title={texts.people.title}>
      <Search label={texts.people.search} hint={texts.people.directorySearchHint} query={query} />
      <Loaded read={page}>
        {({ users, pagination }) => (
          <PagedTable
            empty={<Empty title={texts.common.nothingMatches}>{texts.common.nothingMatchesAdvice}</Empty>}
            caption={texts.people.tableOf}
            columns={columns}
            rows={users}
            keyOf={({ id }) => id}
            sort={sort}
            cursor={cursor}
            next={pagination.next_cursor}
          >
            {total && <p class="count">{countText(total)}</p>}
          </PagedTable>
        )}
      </Loaded>
    </Page>
  )
}
