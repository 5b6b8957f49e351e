// One live region for the whole page: it says what has changed, to those who see it and to those who hear it.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useAddress } from '../address.ts'
import { useStore } from '../data/useStore.ts'

type Said = { text: string; isVisible: boolean; number: number; at: number }

let said: Said = { text: '', isVisible: false, number: 0, at: 0 }
const listeners = new Set<() => void>()
const set = (text: string, isVisible: boolean) => {
  said = { text, isVisible, number: said.number + 1, at: Date.now() }
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows and says what has happened, such as "Saved". */
export const say = (text: string): void => set(text, true)

/** Says what everybody else sees anyway, such as the number of people found. */
export const sayOnly = (text: string): void => set(text, false)

/** Takes away what was said, if that is still shown: it is not true any more. */
export const unsay = (text: string): void => {
  if (said.text === text) set('', false)
}

const secondsShown = 6
/** What is said in the moment before a page opens belongs to that page, such as "The group was created." */
const sameMomentMs = 500

export function Announcements() {
  const { text, isVisible, number } = useStore(subscribe, () => said)
  const { screen, query } = useAddress()
  const page = `${screen} ${query.get('id')}`
  const shownPage = useRef(page)
  // With the page, as a busy machine may take long until it is painted.
  useLayoutEffect(() => {
    if (shownPage.current === page) return
    shownPage.current = page
    if (Date.now() - said.at > sameMomentMs) set('', false)
  }, [page])
  useEffect(() => {
    if (text === '') return
    const timer = setTimeout(() => set('', false), secondsShown * 1000)
    return () => clearTimeout(timer)
  }, [number, text])
  return (
    <div class={isVisible && text ? 'announcement' : 'visually-hidden'} role="status" aria-live="polite">
      {text}
    </div>
  )
}
