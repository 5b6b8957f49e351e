import type { ComponentChildren } from 'preact'
import type { GrowingList } from '../data/useGrowing.ts'
import { Empty } from './Empty.tsx'
import { Loaded } from './Loaded.tsx'
import { ShowMore } from './ShowMore.tsx'

type Properties<T> = {
  list: GrowingList<T>
  /** What an empty list says. */
  none: string
  /** What the button says that shows more. */
  more: string
  children: (items: readonly T[]) => ComponentChildren
}

/** A list that grows. */
export const Growing = <T,>({ list, none, more, children }: Properties<T>) => (
  <Loaded read={list.first}>
    {() => (
      <>
        {list.items.length === 0 && !list.hasMore ? <Empty title={none} /> : children(list.items)}
        <ShowMore list={list} text={more} />
      </>
    )}
  </Loaded>
)
