import { linkTo } from '../address.ts'
import type { EventKind } from '../history/historyQuery.ts'
import { screenAt } from '../screens.ts'
import { useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'

type Properties = {
  kind: EventKind
  /** Without it, the link leads to what happened with all records of the kind. */
  id?: string
  /** What is said to those who do not see where the link is. */
  of?: string
}

/** A link to who changed a record, for those who may see that. */
export function HistoryLink({ kind, id, of }: Properties) {
  const texts = useTexts()
  if (!screenAt(useMe(), 'history')) return null
  return (
    <a class="button quiet" href={linkTo('history', { kind, record: id })}>
      {texts.person.history}
      {of && <span class="visually-hidden"> {of}</span>}
    </a>
  )
}
