import { createContext } from 'preact'

/** The cards of what waits for somebody. */
export const waitingCards = ['tasks', 'plans', 'work', 'webhooks', 'tokens'] as const
export type WaitingCard = (typeof waitingCards)[number]

type Waiting = {
  /** Nothing waits in any card: one text says so in their place. */
  isQuiet: boolean
  /** How many lines a card has; undefined while nobody knows. */
  onCount: (card: WaitingCard, count: number | undefined) => void
}

/** What the cards tell the first screen, and it tells them. */
export const WaitingContext = createContext<Waiting>({ isQuiet: false, onCount: () => {} })
