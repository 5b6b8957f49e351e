// One live region for the whole page: it says what has changed, to those who see it and to those who hear it.
import { useEffect } from 'preact/hooks'
import { useStore } from '../data/useStore.ts'

type Said = { text: string; isVisible: boolean; number: number }

let said: Said = { text: '', isVisible: false, number: 0 }
const listeners = new Set<() => void>()
const set = (text: string, isVisible: boolean) => {
  said = { text, isVisible, number: said.number + 1 }
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

export function Announcements() {
  const { text, isVisible, number } = useStore(subscribe, () => said)
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
