import type { ComponentChildren } from 'preact'
import type { GrowingList } from '../data/useGrowing.ts'
import { useTexts } from '../texts/texts.ts'
import { Empty } from './Empty.tsx'
import { Loaded } from './Loaded.tsx'
import { Problem } from './Problem.tsx'

type Properties<T> = {
  list: GrowingList<T>
  /** What an empty list says. */
  none: string
  /** What the button says that shows more. */
  more: string
  children: (items: readonly T[]) => ComponentChildren
}

/** Printed in place of the button, so that nobody takes a part for all. */
function OnPaper() {
  return <p class="on-paper">{useTexts().common.moreNotPrinted}</p>
}

/** A list that grows. */
export const Growing = <T,>({ list, none, more, children }: Properties<T>) => (
  <Loaded read={list.first}>
    {() => (
      <>
        {list.items.length === 0 && !list.hasMore ? <Empty title={none} /> : children(list.items)}
        <Problem problem={list.problem} />
        {list.hasMore && (
          <>
            <button type="button" aria-disabled={list.isBusy} onClick={list.more}>
              {more}
            </button>
            <OnPaper />
          </>
        )}
      </>
    )}
  </Loaded>
)
