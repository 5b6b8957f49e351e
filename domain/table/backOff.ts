import { setTimeout } from 'node:timers/promises'

const FIRST_MS = 15
const LONGEST_MS = 400

/** Waits before attempt `attempt + 1`: a random part of a time that doubles, so that losers do not meet again. */
export const backOff = (attempt: number): Promise<void> =>
  setTimeout(Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt))
