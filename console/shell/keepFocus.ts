// The focus is never lost: where what had it has gone, the nearest title gets it, so that people go on from there.

/** The class of the page while somebody uses a pointer: titles that get the focus have no frame then. */
const byPointer = 'by-pointer'

/** Starts to look after the focus of the page. */
export function keepFocus(): void {
  // Browsers show where the focus is if what had it has gone, as with each link to another screen. Only keys need that.
  const use = (isPointer: boolean) => document.documentElement.classList.toggle(byPointer, isPointer)
  document.addEventListener('pointerdown', () => use(true), true)
  document.addEventListener('keydown', () => use(false), true)
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
