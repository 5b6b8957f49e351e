// The focus is never lost: where what had it has gone, the nearest title gets it, so that people go on from there.

/** Starts to look after the focus of the page. */
export function keepFocus(): void {
  let last: { element: Element; around: Element[] } | undefined
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target !== document.body) last = { element: target, around: around(target) }
  })
  new MutationObserver(() => {
    if (document.activeElement !== document.body || !last || last.element.isConnected) return
    const place = last.around.find((element) => element.isConnected && titleIn(element))
    last = undefined
    if (place) focusTitle(place)
  }).observe(document.body, { childList: true, subtree: true })
}

function around(element: Element): Element[] {
  const above = element.parentElement
  return above ? [above, ...around(above)] : []
}

const titleIn = (element: Element) => element.querySelector<HTMLElement>('h1, h2')

function focusTitle(place: Element): void {
  const title = titleIn(place)
  if (!title?.hasAttribute('tabindex')) title?.setAttribute('tabindex', '-1')
  title?.focus()
}
