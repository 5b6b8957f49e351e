import { useState } from 'preact/hooks'
import { useTexts } from '../texts/texts.ts'
import { PlanDialog } from './PlanDialog.tsx'
import { type PeopleFilters, selectionOf } from './peopleQuery.ts'
import type { PeopleSelection } from './useSelection.ts'

type Properties = { selection: PeopleSelection; filters: PeopleFilters; total: string | undefined }

/** Who is selected, and what can be done with them. */
export function SelectionBar({ selection, filters, total }: Properties) {
  const texts = useTexts()
  const [isPlanning, setPlanning] = useState(false)
  const { ids, isAll } = selection
  const count = total ?? texts.people.title
  if (ids.size === 0 && !isAll) return null
  const text = isAll ? texts.people.allMatchingSelected(count) : texts.people.selected(ids.size)
  return (
    <div class="selection-bar">
      <p>
        <strong>{text}</strong>
      </p>
      {!isAll && (
        <button type="button" class="quiet" onClick={selection.selectAll}>
          {texts.people.selectAllMatching(count)}
        </button>
      )}
      <button type="button" class="quiet" onClick={selection.clear}>
        {texts.people.clearSelection}
      </button>
      <button type="button" class="primary" onClick={() => setPlanning(true)}>
        {texts.people.planFor}
      </button>
      {isPlanning && (
        <PlanDialog
          about={text}
          select={isAll ? selectionOf(filters) : { user_ids: [...ids] }}
          onClose={() => setPlanning(false)}
        />
      )}
    </div>
  )
}
