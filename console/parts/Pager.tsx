import { changeQuery } from '../address.ts'
import { useTexts } from '../texts/texts.ts'

type Properties = {
  /** The cursor of the page shown; null for the first page. */
  cursor: string | null
  /** The cursor of the next page; null on the last one. */
  next: string | null | undefined
}

/** So many pages somebody can go back one by one; without an end, thousands of pages would take more and more memory. */
const mostBack = 200

/** Ways to the next, the previous and the first page. The address holds the cursor, so each page has its own link. */
export function Pager({ cursor, next }: Properties) {
  const texts = useTexts()
  if (!cursor && !next) return null
  // The cursors of the pages before, as long as somebody has come through them; cursors themselves lead forward only.
  const trail: (string | null)[] = history.state?.trail ?? []
  /** A button keeps the focus where it leads nowhere, as on the last page: somebody may go back from there. */
  const button = (text: string, isPossible: boolean, page: string | null, pagesBefore: (string | null)[]) => (
    <button
      type="button"
      aria-disabled={!isPossible}
      onClick={({ detail: pointed }) => {
        if (!isPossible) return
        changeQuery({ page }, { state: { trail: pagesBefore } })
        // By keys the button with the focus stays in sight.
        if (pointed) window.scrollTo({ top: 0 })
      }}
    >
      {text}
    </button>
  )
  return (
    <nav class="pager" aria-label={texts.common.pages}>
      {button(texts.common.firstPage, cursor !== null, null, [])}
      {button(texts.common.previousPage, trail.length > 0, trail.at(-1) ?? null, trail.slice(0, -1))}
      {/* While the next page is read, the list still has this one's cursor. */}
      {button(
        texts.common.nextPage,
        Boolean(next) && next !== cursor,
        next ?? null,
        [...trail, cursor].slice(-mostBack),
      )}
    </nav>
  )
}
