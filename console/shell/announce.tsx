// Says what has changed, to those who see it and to those who hear it: in one live region, that of the page or of the dialog over it.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useAddress } from '../address.ts'
import { useStore } from '../data/useStore.ts'

type Said = { text: string; isVisible: boolean; number: number; at: number }

const nothing: Said = { text: '', isVisible: false, number: 0, at: 0 }
let said = nothing
const listeners = new Set<() => void>()
const changed = () => {
  for (const listener of listeners) listener()
}
const set = (text: string, isVisible: boolean) => {
  said = { text, isVisible, number: said.number + 1, at: Date.now() }
  changed()
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

/** The live regions, the page's first. A dialog makes all below it inert: neither heard nor seen. */
const regions: object[] = []

/** Says what is said, as long as no dialog is over it. */
export function LiveRegion() {
  const region = useRef({}).current
  const { text, isVisible } = useStore(subscribe, () => (regions.at(-1) === region ? said : nothing))
  useLayoutEffect(() => {
    regions.push(region)
    changed()
    return () => {
      regions.splice(regions.indexOf(region), 1)
      changed()
    }
  }, [region])
  return (
    <div class={isVisible && text ? 'announcement' : 'visually-hidden'} role="status" aria-live="polite">
      {text}
    </div>
  )
}

/** The live region of the page. It also takes away what was said, after a while or with the page that it was about. */
export function Announcements() {
  const { text, number } = useStore(subscribe, () => said)
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
  return <LiveRegion />
}
