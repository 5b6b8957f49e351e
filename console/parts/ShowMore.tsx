import { useLayoutEffect, useRef } from 'preact/hooks'
import type { GrowingList } from '../data/useGrowing.ts'
import { useTexts } from '../texts/texts.ts'
import { Problem } from './Problem.tsx'

type Properties = {
  list: Pick<GrowingList<unknown>, 'items' | 'hasMore' | 'more' | 'isBusy' | 'problem'>
  text: string
}

/** The end of a list that goes on: a button that shows more of it. */
export function ShowMore({ list: { items, hasMore, more, isBusy, problem }, text }: Properties) {
  const noteButton = useFocusOnNew(items.length, problem)
  const show = (event: { currentTarget: HTMLElement }) => {
    noteButton(event.currentTarget)
    more()
  }
  return (
    <>
      <Problem problem={problem} />
      {hasMore && (
        <>
          <button type="button" aria-disabled={isBusy} onClick={show}>
            {text}
          </button>
          <OnPaper />
        </>
      )}
    </>
  )
}

/** Printed in place of the button, so that nobody takes a part for all. */
function OnPaper() {
  return <p class="on-paper">{useTexts().common.moreNotPrinted}</p>
}

/** What Tab stops at, but for what goes with the problem of a try before. */
const stopsIn = (list: HTMLElement) =>
  [...list.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')].filter(
    (one) => one.tabIndex >= 0 && one.checkVisibility() && !one.closest('.problem'),
  )

type Pressed = { button: HTMLElement; list: HTMLElement; stopsBefore: number; countBefore: number }

/**
 * Once a list has grown by its button, the focus goes to the first of what is new: the button is far below then, or gone. Returns what
 * the button calls when it is pressed.
 */
function useFocusOnNew(count: number, problem: unknown): (button: HTMLElement) => void {
  const pressed = useRef<Pressed | null>(null)
  useLayoutEffect(() => {
    if (!pressed.current) return
    const { button, countBefore } = pressed.current
    if (problem === undefined && count === countBefore) return
    // A problem is shown above the button, and moves it.
    if (problem !== undefined) button.scrollIntoView({ block: 'nearest' })
    else focusOnNew(pressed.current)
    pressed.current = null
  }, [count, problem])
  return (button) => {
    const list = button.parentElement
    if (list) pressed.current = { button, list, stopsBefore: stopsIn(list).indexOf(button), countBefore: count }
  }
}

function focusOnNew({ list, stopsBefore }: Pressed): void {
  const { activeElement: focused } = document
  // Somebody may have gone elsewhere meanwhile.
  if (focused !== document.body && focused?.parentElement !== list) return
  const next = stopsIn(list)[stopsBefore]
  if (!next) list.tabIndex = -1
  ;(next ?? list).focus()
}
