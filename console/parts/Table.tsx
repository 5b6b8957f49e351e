import type { ComponentChildren } from 'preact'
import { useTexts } from '../texts/texts.ts'

export type Column<Row> = {
  key: string
  title: string
  cell: (row: Row) => ComponentChildren
  /** The name of the sort without direction, `LAST_NAME` for LAST_NAME_ASC and LAST_NAME_DESC. */
  sort?: string | undefined
  /** What is sorted by, where that is a part of what the column shows. */
  sortTitle?: string | undefined
  /** The column that names the row. */
  isHeader?: boolean | undefined
}

export type Selection<Row> = {
  isSelected: (row: Row) => boolean
  onSelect: (rows: readonly Row[], isSelected: boolean) => void
  /** What the row is called. */
  nameOf: (row: Row) => string
}

export type TableProperties<Row> = {
  /** What the table shows, for those who cannot see it. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The present sort, such as LAST_NAME_ASC, and what to do when somebody wants another one. */
  sort?: string
  onSort?: (sort: string) => void
  selection?: Selection<Row> | undefined
  /** Older rows are shown while others are on their way. */
  isOld?: boolean
}

/** A table. On narrow screens each row becomes a card that names its values. */
export function Table<Row>(properties: TableProperties<Row>) {
  const { caption, columns, rows, keyOf, sort, onSort, selection, isOld } = properties
  const texts = useTexts()
  const areAllSelected = rows.length > 0 && selection !== undefined && rows.every(selection.isSelected)
  return (
    <table class="table" aria-busy={isOld || undefined}>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {selection && (
            <td class="select">
              <input
                type="checkbox"
                aria-label={texts.common.selectPage}
                checked={areAllSelected}
                onChange={({ currentTarget }) => selection.onSelect(rows, currentTarget.checked)}
              />
            </td>
          )}
          {columns.map((column) => (
            <Heading key={column.key} column={column} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} class={selection?.isSelected(row) ? 'selected' : undefined}>
            {selection && (
              <td class="select">
                <input
                  type="checkbox"
                  aria-label={texts.common.selectRow(selection.nameOf(row))}
                  checked={selection.isSelected(row)}
                  onChange={({ currentTarget }) => selection.onSelect([row], currentTarget.checked)}
                />
              </td>
            )}
            {columns.map(({ key, title, cell, isHeader }) =>
              isHeader ? (
                <th key={key} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={key} data-label={title}>
                  <div class="value">{cell(row)}</div>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type HeadingProperties<Row> = {
  column: Column<Row>
  sort: string | undefined
  onSort: ((sort: string) => void) | undefined
}

function Heading<Row>({ column, sort, onSort }: HeadingProperties<Row>) {
  const { sort: name, title, sortTitle } = column
  if (!name || !onSort) return <th scope="col">{title}</th>
  const [up, down] = [`${name}_ASC`, `${name}_DESC`]
  const direction = sort === up ? 'ascending' : sort === down ? 'descending' : undefined
  return (
    <th scope="col" aria-sort={direction}>
      <button type="button" class="sort" onClick={() => onSort(sort === up ? down : up)}>
        {title}
        {sortTitle && <span class="sort-mark">({sortTitle})</span>}
        <span aria-hidden="true" class="sort-mark">
          {direction === 'ascending' ? '↑' : direction === 'descending' ? '↓' : '↕'}
        </span>
      </button>
    </th>
  )
}
