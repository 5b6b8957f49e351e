import { useMemo, useState } from 'preact/hooks'
import { changeQuery, linkTo } from '../address.ts'
import { api } from '../data/api.ts'
import { type Total, useList } from '../data/useList.ts'
import { useRead } from '../data/useRead.ts'
import { Empty } from '../parts/Empty.tsx'
import { Check } from '../parts/Field.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Page } from '../parts/Page.tsx'
import { PagedTable } from '../parts/PagedTable.tsx'
import { Search } from '../parts/Search.tsx'
import type { ScreenProperties } from '../screens.ts'
import { useTexts } from '../texts/texts.ts'
import { allColumns, storeColumns, storedColumns } from './columns.tsx'
import { ExportDialog } from './ExportDialog.tsx'
import { PeopleFilterMenu } from './PeopleFilterMenu.tsx'
import { filtersOf, fullName, isFiltered, listQuery, type PeopleFilters, sortOf, type User } from './peopleQuery.ts'
import { SelectionBar } from './SelectionBar.tsx'
import { useSelection } from './useSelection.ts'

/** All people, for administrators: search, filters, columns, and a selection that becomes a plan. */
export function ManagedPeople({ query }: ScreenProperties) {
  const texts = useTexts()
  const filters = filtersOf(query)
  const [sort, cursor] = [sortOf(query), query.get('page')]
  const filterKey = JSON.stringify(filters)
  const selection = useSelection(filterKey)
  const countText = ({ count, isAtLeast }: Total) => (isAtLeast ? texts.people.countAtLeast : texts.people.count)(count)
  const { page, total } = useList(
    JSON.stringify([filters, sort]),
    cursor,
    async (paging, signal) => {
      const params = { query: { ...listQuery(filters), ...paging, sort: [sort] } }
      return (await api.GET('/api/admin/users/v4/users', { signal, params })).data
    },
    countText,
  )
  const [shown, setShown] = useState(storedColumns)
  const [isExporting, setExporting] = useState(false)
  const columns = useMemo(() => allColumns(texts), [texts])
  const show = (key: string, isShown: boolean) => {
    const next = isShown ? [...shown, key] : shown.filter((one) => one !== key)
    storeColumns(next)
    setShown(next)
  }
  const clear = () => changeQuery({ search: null, status: null, role: null, attribute: null, value: null, page: null })
  return (
    <Page
      title={texts.people.title}
      actions={
        <a class="button primary" href={linkTo('new-person')}>
          {texts.people.create}
        </a>
      }
    >
      <div class="toolbar">
        <Search label={texts.people.search} hint={texts.people.searchHint} query={query} />
        <div class="toolbar-menus">
          <PeopleFilterMenu filters={filters} />
          <Menu label={texts.common.columns}>
            {columns.slice(1).map(({ key, title }) => (
              <Check key={key} label={title} isChecked={shown.includes(key)} onChecked={(is) => show(key, is)} />
            ))}
          </Menu>
          <button type="button" onClick={() => setExporting(true)}>
            {texts.people.export}
          </button>
        </div>
      </div>
      <Loaded read={page}>
        {({ users, pagination }) => (
          <PagedTable<User>
            empty={<Nobody filters={filters} onClear={clear} />}
            caption={texts.people.tableOf}
            columns={columns.filter(({ key, isHeader }) => isHeader || shown.includes(key))}
            rows={users}
            keyOf={({ id }) => id}
            sort={sort}
            selection={{
              isSelected: ({ id }) => selection.isAll || selection.ids.has(id),
              onSelect: (rows, isSelected) =>
                selection.select(
                  rows.map(({ id }) => id),
                  isSelected,
                ),
              nameOf: fullName,
            }}
            isOld={page.isOld}
            cursor={cursor}
            next={pagination.next_cursor}
          >
            <div class="list-head">
              {total && <p class="count">{countText(total)}</p>}
              {total?.isAtLeast && <p class="hint">{texts.people.atLeastAdvice}</p>}
              {total && !selection.isAll && selection.ids.size === 0 && (
                <button type="button" class="quiet" onClick={selection.selectAll}>
                  {texts.people.selectAllMatching(countText(total))}
                </button>
              )}
              {isFiltered(filters) && (
                <button type="button" class="quiet" onClick={clear}>
                  {texts.common.clearFilters}
                </button>
              )}
            </div>
            <SelectionBar selection={selection} filters={filters} total={total && countText(total)} />
          </PagedTable>
        )}
      </Loaded>
      {isExporting && <ExportDialog filters={filters} total={total} onClose={() => setExporting(false)} />}
    </Page>
  )
}

function Nobody({ filters, onClear }: { filters: PeopleFilters; onClear: () => void }) {
  const texts = useTexts()
  if (!isFiltered(filters)) return <Empty title={texts.people.empty} />
  return (
    <Empty title={texts.common.nothingMatches}>
      <ByExternalId externalId={filters.search.trim()} />
      <p>{texts.common.nothingMatchesAdvice}</p>
      <button type="button" onClick={onClear}>
        {texts.common.clearFilters}
      </button>
    </Empty>
  )
}

/** The search looks at names and the like. Where it finds nobody, the words may be somebody's external id. */
function ByExternalId({ externalId }: { externalId: string }) {
  const texts = useTexts()
  const read = useRead(externalId ? `external id ${externalId}` : null, async (signal) => {
    const params = { query: { external_id: externalId, page_limit: 1 } }
    return (await api.GET('/api/admin/users/v4/users', { signal, params })).data.users
  })
  const [found] = read.data ?? []
  if (!found) return null
  return (
    <p>
      {texts.people.externalId} {externalId}:{' '}
      <a href={linkTo('person', { id: found.id })} dir="auto">
        {fullName(found)}
      </a>
    </p>
  )
}
