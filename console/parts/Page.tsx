import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { hasGone } from '../address.ts'
import { useTexts } from '../texts/texts.ts'

type Properties = {
  title: string
  /** Above the title: a way back, such as a link to the list. */
  back?: ComponentChildren
  /** Beside the title. */
  actions?: ComponentChildren
  /** Whether people print it, as a record to keep. */
  canPrint?: boolean
  intro?: ComponentChildren
  children?: ComponentChildren
}

/** A screen: its title, which is the page's title too, and gets the focus when somebody comes here. */
export function Page({ title, back, actions, canPrint, intro, children }: Properties) {
  const texts = useTexts()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${texts.common.product}`
  }, [title, texts])
  // With the title, and no moment later: somebody who already goes on by keys must not be taken back.
  useLayoutEffect(() => {
    // A page that has just been loaded leaves the focus at the top.
    if (hasGone()) heading.current?.focus()
  }, [])
  return (
    <article class="page">
      {back && <p class="back">{back}</p>}
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h1>
        {actions && <div class="actions">{actions}</div>}
        {canPrint && (
          <button type="button" class="quiet" onClick={() => window.print()}>
            {texts.common.print}
          </button>
        )}
      </header>
      {intro && <p class="intro">{intro}</p>}
      {children}
    </article>
  )
}
