import type { Section } from '../../schemas/sections.ts'
import type { Store } from '../store/store.ts'

/** How far an import has come with a section, or with its checks. */
export type Progress = { section: Section | 'checks'; done: number; total: number }

/** What an import needs from outside. */
export type ImportContext = {
  store: Store
  /** The moment the import speaks of: what it creates has been created then. */
  now: string
  newId: () => string
  /** The time as it passes; if not given, it passes from `now` on. */
  clock?: () => Date
  /** Milliseconds until the process is ended from outside; if not given, it never is. */
  timeLeft?: () => number
  onProgress?: (progress: Progress) => void
}

/** What became of a section's records. Skipped are users who are gone for good, and what refers to them. */
export type Tally = { created: number; updated: number; unchanged: number; skipped: number }
export type ImportSummary = Record<Section, Tally>

/** One thing that is wrong with an import file: no values, as files hold personal data and faults are logged. */
export type ImportFault = { section: string; index: number | null; property: string; reason: string }

/** The file has faults: nothing of it was written. */
export class ImportRefused extends Error {
  override name = 'ImportRefused'
  readonly faults: readonly ImportFault[]
  constructor(faults: readonly ImportFault[]) {
    super([`The directory has ${counted(faults)}: nothing was imported`, ...faultLines(faults, 20)].join('\n'))
    this.faults = faults
  }
}

const counted = ({ length }: readonly unknown[]): string => (length === 1 ? 'a fault' : `${length} faults`)

/** The import could not begin or go on; what it has written stays, and the same file imported again completes it. */
export class ImportStopped extends Error {
  override name = 'ImportStopped'
}

/** One line per fault: `users[17].email: must match format "email"`. */
function faultLine({ section, index, property, reason }: ImportFault): string {
  const place = `${section}${index === null ? '' : `[${index}]`}${property === '' ? '' : `.${property}`}`
  return `${place}: ${reason}`
}

/** One line per fault, the first so many of them. */
export const faultLines = (faults: readonly ImportFault[], most: number): string[] => [
  ...faults.slice(0, most).map(faultLine),
  ...(faults.length > most ? [`and ${faults.length - most} more`] : []),
]

/** An import stops this long before its time is over, so that it can leave in good order. */
const RESERVE_MS = 20_000

/** Stops an import whose time runs out. */
export function needTime({ timeLeft }: ImportContext): void {
  if (timeLeft && timeLeft() < RESERVE_MS)
    throw new ImportStopped('The time was too short for all of the directory: import it again to go on')
}
