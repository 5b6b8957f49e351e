import { changeQuery } from '../address.ts'
import { useTexts } from '../texts/texts.ts'

type Properties = {
  /** The cursor of the page shown; null for the first page. */
  cursor: string | null
  /** The cursor of the next page; null on the last one. */
  next: string | null | undefined
}

/** Ways to the next, the previous and the first page. The address holds the cursor, so each page has its own link. */
export function Pager({ cursor, next }: Properties) {
  const texts = useTexts()
  if (!cursor && !next) return null
  // The cursors of the pages before, as long as somebody has come through them; cursors themselves lead forward only.
  const trail: (string | null)[] = history.state?.trail ?? []
  const to = (page: string | null, pagesBefore: (string | null)[]) => () => {
    changeQuery({ page }, { state: { trail: pagesBefore } })
    window.scrollTo({ top: 0 })
  }
  return (
    <nav class="pager" aria-label={texts.common.pages}>
      <button type="button" disabled={!cursor} onClick={to(null, [])}>
        {texts.common.firstPage}
      </button>
      <button type="button" disabled={trail.length === 0} onClick={to(trail.at(-1) ?? null, trail.slice(0, -1))}>
        {texts.common.previousPage}
      </button>
      <button type="button" disabled={!next} onClick={to(next ?? null, [...trail, cursor])}>
        {texts.common.nextPage}
      </button>
    </nav>
  )
}
