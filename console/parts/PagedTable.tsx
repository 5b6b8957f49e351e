import type { ComponentChildren } from 'preact'
import { changeQuery } from '../address.ts'
import { Pager } from './Pager.tsx'
import { Table, type TableProperties } from './Table.tsx'

type Properties<Row> = Omit<TableProperties<Row>, 'onSort'> & {
  /** What is shown in place of an empty list. */
  empty: ComponentChildren
  /** What stands above the table, such as the count. */
  children?: ComponentChildren
  /** The cursors of this page and of the next one. */
  cursor: string | null
  next: string | null | undefined
}

/** A page of a list, with the ways to other pages. The address holds the sort and the cursor. */
export function PagedTable<Row>({ empty, children, cursor, next, ...table }: Properties<Row>) {
  if (table.rows.length === 0) return <>{empty}</>
  return (
    <>
      {children}
      <Table {...table} onSort={(sort) => changeQuery({ sort, page: null })} />
      <Pager cursor={cursor} next={next} />
    </>
  )
}
