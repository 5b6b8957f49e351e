import { useEffect, useState } from 'preact/hooks'

export type PeopleSelection = {
  ids: ReadonlySet<string>
  /** All who match are selected, whatever page they are on. */
  isAll: boolean
  select: (ids: readonly string[], isSelected: boolean) => void
  selectAll: () => void
  clear: () => void
}

/** Who is selected. It stays from page to page and with another sort, and ends with other filters. */
export function useSelection(filterKey: string): PeopleSelection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const [isAll, setAll] = useState(false)
  const clear = () => {
    setIds(new Set())
    setAll(false)
  }
  // Other filters end the selection.
  useEffect(clear, [filterKey])
  return {
    ids,
    isAll,
    select: (given, isSelected) => {
      setAll(false)
      setIds((before) => {
        const next = new Set(isAll ? [] : before)
        for (const id of given) isSelected ? next.add(id) : next.delete(id)
        return next
      })
    },
    selectAll: () => setAll(true),
    clear,
  }
}
