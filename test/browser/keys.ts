// What the page itself notices while somebody uses keys: whether something was done without them, and whether the focus shows.
import type { BrowserContext, Locator, Page } from 'playwright-core'

type Watching = {
  keysLook: () => void
  keysReached: Set<Element>
  keysOnClick: WeakSet<EventTarget>
  /** What the next key is meant for. */
  keysAim?: Element | undefined
}
/** What Tab stops at, if it can be used. */
const stops = 'a[href], button, input, select, textarea, summary, [role=button], [role=link], [tabindex]'

/**
 * Watches the pages of a context. `onPointed` gets what was done without a key: by a pointer, by focus or text that a script of the test
 * sets. `onLost` gets what is wrong with the focus whenever a key is pressed: it is lost, does not show, or is out of sight.
 */
export async function watchKeys(
  context: BrowserContext,
  onPointed: (text: string) => void,
  onLost: (text: string) => void,
): Promise<void> {
  await context.exposeFunction('reportPointed', onPointed)
  await context.exposeFunction('reportLost', onLost)
  await context.addInitScript(watch)
}

/**
 * How many times somebody presses Tab, or Shift+Tab, from what has the focus until `target` has it: at least so often. 0 if it has it. The
 * next key is then meant for it, and if the focus has gone elsewhere until then, that is a fault.
 */
export const stopsUntil = (target: Locator, isBack: boolean): Promise<number> =>
  target.evaluate(
    (element, { stops, isBack }) => {
      const active = document.activeElement ?? document.body
      if (element === active) {
        ;(window as unknown as Watching).keysAim = element
        return 0
      }
      const isAfter = (one: Element, other: Element) =>
        (other.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
      const isAhead = (one: Element, other: Element) => (isBack ? isAfter(other, one) : isAfter(one, other))
      ;(window as unknown as Watching).keysAim = undefined
      if (active === document.body || !isAhead(element, active)) return 1
      const between = [...document.querySelectorAll<HTMLElement>(stops)].filter(
        (one) =>
          isAhead(one, active) &&
          isAhead(element, one) &&
          one.tabIndex >= 0 &&
          // Of radio buttons, only one of a group is a stop.
          !one.matches(':disabled, [type=radio]') &&
          one.checkVisibility({ visibilityProperty: true }),
      )
      return between.length + 1
    },
    { stops, isBack },
  )

/** Looks at the focus once more, at the end of a journey. */
export const lookAtFocus = (page: Page): Promise<void> =>
  page.evaluate(() => (window as unknown as Watching).keysLook())

/** Goes once through all of a page by Tab: what can be used there and does not get the focus, or only by a pointer. */
export async function unreached(page: Page): Promise<string[]> {
  const expected = await page.evaluateHandle((stops) => {
    ;(window as unknown as Watching).keysReached.clear()
    const { keysOnClick } = window as unknown as Watching
    const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
    return [...place.querySelectorAll('*')].filter((element) => {
      const isUsed = element.matches(stops) ? !element.matches(':disabled, h1, h2, main') : keysOnClick.has(element)
      return isUsed && element.checkVisibility({ visibilityProperty: true })
    })
  }, stops)
  // Held down, until it has been everywhere. Dates and times have a stop for each part.
  const many = await expected.evaluate(
    (elements) => elements.length + 5 + 5 * elements.filter((one) => one.matches('[type=date], [type=time]')).length,
  )
  await Promise.all(Array.from({ length: many }, () => page.keyboard.down('Tab')))
  await page.keyboard.up('Tab')
  return expected.evaluate((elements) => {
    const { keysReached } = window as unknown as Watching
    const isOne = (one: Element, other: Element) =>
      one instanceof HTMLInputElement &&
      other instanceof HTMLInputElement &&
      one.type === 'radio' &&
      one.type === other.type &&
      one.name === other.name
    const isReached = (element: Element) =>
      keysReached.has(element) || [...keysReached].some((other) => isOne(element, other))
    return elements
      .filter((element) => element.isConnected && element.checkVisibility() && !isReached(element))
      .map((element) => element.outerHTML.slice(0, 160))
  })
}

function watch() {
  const { reportPointed, reportLost } = window as unknown as Record<string, (text: string) => void>
  const page = window as unknown as Watching
  const named = (element: Element | null) => element?.outerHTML.slice(0, 120).replaceAll('\n', ' ') ?? 'nothing'

  // The driver works in a world of its own, so these are the calls of the page.
  let isByPage = false
  const byPage = <This, Given extends unknown[], Answer>(call: (this: This, ...given: Given) => Answer) =>
    function (this: This, ...given: Given): Answer {
      const before = isByPage
      isByPage = true
      try {
        return call.apply(this, given)
      } finally {
        isByPage = before
      }
    }
  HTMLElement.prototype.focus = byPage(HTMLElement.prototype.focus)
  HTMLDialogElement.prototype.showModal = byPage(HTMLDialogElement.prototype.showModal)
  HTMLDialogElement.prototype.close = byPage(HTMLDialogElement.prototype.close)
  page.keysOnClick = new WeakSet()
  const listen = EventTarget.prototype.addEventListener
  EventTarget.prototype.addEventListener = function (type: string, ...rest: [never, never]) {
    if (type === 'click') page.keysOnClick.add(this)
    listen.call(this, type, ...rest)
  }

  let pressed = ''
  let isDown = false
  // A frame is for those who use keys.
  let isByKeys = false
  const pointed = (text: string) => {
    isByKeys = false
    reportPointed?.(text)
  }
  let last: Element | undefined
  /** By Tab, beyond the last thing or the first. */
  let hasLeft = false
  let opened: EventTarget | null = null
  page.keysReached = new Set()
  for (const type of ['pointerdown', 'mousedown', 'touchstart'])
    listen.call(window, type, (event) => event.isTrusted && pointed(`${type}: ${named(event.target as Element)}`), true)
  listen.call(
    window,
    'focusin',
    ({ target }) => {
      if (!(target instanceof Element)) return
      if (!isDown && !isByPage && target !== last) pointed(`focus: ${named(target)}`)
      page.keysReached.add(target)
      last = target
      hasLeft = false
    },
    true,
  )
  listen.call(window, 'focusout', () => (hasLeft = isDown && pressed === 'Tab'), true)
  listen.call(window, 'click', ({ target }) => (opened = target), true)
  for (const type of ['input', 'change'])
    listen.call(
      window,
      type,
      (event) => {
        const { target, isTrusted } = event
        // The files of a chooser that somebody has opened.
        if (target instanceof HTMLInputElement && target.type === 'file') {
          if (target !== opened) pointed(`file: ${named(target)}`)
        } else if (!isTrusted || (event instanceof InputEvent && [...(event.data ?? '')].length > 1))
          pointed(`${type}: ${named(target as Element)}`)
      },
      true,
    )

  const hasFrame = (element: Element) => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
    if (outlineStyle === 'auto') return true
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && !/^rgba.*, 0\)$/.test(outlineColor)
  }
  /** Whether some part of it is in sight, and below nothing. */
  const isInSight = (element: Element) => {
    const box = element.getBoundingClientRect()
    const [left, top] = [Math.max(box.left, 0), Math.max(box.top, 0)]
    const [right, bottom] = [Math.min(box.right, innerWidth), Math.min(box.bottom, innerHeight)]
    if (right <= left || bottom <= top) return false
    // What is said does not catch the pointer.
    const said = document.querySelector('.announcement')?.getBoundingClientRect()
    if (said && said.left <= left && said.right >= right && said.top <= top && said.bottom >= bottom) return false
    return [0.5, 0.1, 0.9].some((share) => {
      const found = document.elementFromPoint(left + (right - left) * share, top + (bottom - top) * share)
      return found !== null && (element.contains(found) || found.contains(element))
    })
  }
  page.keysLook = () => {
    if (!isByKeys) return
    const element = document.activeElement
    if (!element || element === document.body) {
      const isLoading = !document.querySelector('main h1') || document.querySelector('main .loading')
      if (last && !hasLeft && !isLoading) reportLost?.(`focus lost after ${pressed}: ${named(last)}`)
    } else if (!hasFrame(element)) reportLost?.(`focus does not show: ${named(element)}`)
    else if (!isInSight(element)) reportLost?.(`focus out of sight: ${named(element)}`)
  }
  listen.call(
    window,
    'keydown',
    (event) => {
      if (!event.isTrusted) return
      page.keysLook()
      pressed = (event as KeyboardEvent).key
      const [aim, got] = [page.keysAim, document.activeElement]
      page.keysAim = undefined
      if (aim && got !== aim) reportLost?.(`${pressed} was meant for ${named(aim)}, and went to: ${named(got)}`)
      isDown = true
      isByKeys = true
    },
    true,
  )
  listen.call(window, 'keyup', () => (isDown = false), true)
}
