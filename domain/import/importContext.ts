import { setTimeout } from 'node:timers/promises'
import type { Section } from '../../schemas/sections.ts'
import type { Store } from '../table/store.ts'
import { isShortOfTime } from '../work/steps.ts'
import { ImportStopped } from './importErrors.ts'

/** How far an import has come with a section, or with its checks. */
export type ImportProgress = { section: Section | 'checks'; done: number; total: number }

/** Everything that an import gets from outside. */
export type ImportContext = {
  store: Store
  /** `created_at` of what the import creates, and the moment that deadlines are compared with. */
  now: string
  newId: () => string
  /** The current time; by default always `now`. */
  clock?: () => Date
  /** Milliseconds until the process is ended from outside; without it, that never happens. */
  timeLeft?: () => number
  /** Transactions under way at the same time; one if not given, as DynamoDB Local does one thing after the other. */
  transactionsAtOnce?: number
  /** The most actions of one transaction, events included; ACTIONS_LOCALLY if not given. */
  actionsPerTransaction?: number
  /** Waits until this many more users may be written; without it, nothing waits. */
  pace?: (users: number) => Promise<unknown>
  onProgress?: (progress: ImportProgress) => void
}

/** How long a transaction of an import may take, with the answer for its caller. */
const TRANSACTION_MS = 20_000

/** Stops an import that is running out of time. */
export function requireTime({ timeLeft }: ImportContext): void {
  if (timeLeft && isShortOfTime({ timeLeft }, TRANSACTION_MS))
    throw new ImportStopped('The time was too short for all of the directory: import it again to go on')
}

/** Users a second of an import on AWS: half of what one list of users takes, so that the API keeps its share. */
const USERS_PER_SECOND = 500

/** The options of an import on AWS: four transactions at once, as large as they may be, at an even pace. */
export function onAws(): Required<Pick<ImportContext, 'transactionsAtOnce' | 'actionsPerTransaction' | 'pace'>> {
  let next = 0
  return {
    transactionsAtOnce: 4,
    actionsPerTransaction: Number.POSITIVE_INFINITY,
    pace: (users) => {
      const start = Math.max(performance.now(), next)
      next = start + (users * 1_000) / USERS_PER_SECOND
      return setTimeout(Math.max(0, start - performance.now()))
    },
  }
}
