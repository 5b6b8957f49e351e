import { type Section, sections } from '../../schemas/sections.ts'
import type { Store } from '../table/store.ts'

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

/**
 * What became of a section's records. Those that are stored already either say the same as the file (unchanged) or
 * something else (different): both are kept. Skipped are users who are gone for good, and what refers to them.
 */
export type Tally = { created: number; updated: number; unchanged: number; different: number; skipped: number }

/** A record that is stored with other values than the file has: where it stands there, and which properties differ. */
export type Difference = { section: Section; index: number | null; properties: string[] }

/** What an import has done. Of very many differences only the first are listed; the tallies count all of them. */
export type ImportSummary = Record<Section, Tally> & { differences: Difference[] }

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

/** A record's place in the file: `users[17]`. */
const placeOf = (section: string, index: number | null): string => `${section}${index === null ? '' : `[${index}]`}`

/** One line per fault, the first so many of them: `users[17].email: must be an e-mail address`. */
export const faultLines = (faults: readonly ImportFault[], most: number): string[] =>
  linesOf(faults.slice(0, most), faults.length, ({ section, index, property, reason }) =>
    [`${placeOf(section, index)}${property === '' ? '' : `.${property}`}`, reason].join(': '),
  )

/** One line per record that differs, the first so many of them: `users[17]: email, tags`. */
export const differenceLines = (summary: ImportSummary, most: number): string[] =>
  linesOf(
    summary.differences.slice(0, most),
    sections.reduce((sum, section) => sum + summary[section].different, 0),
    ({ section, index, properties }) => `${placeOf(section, index)}: ${properties.join(', ')}`,
  )

const linesOf = <T>(first: readonly T[], all: number, lineOf: (one: T) => string): string[] => [
  ...first.map(lineOf),
  ...(all > first.length ? [`and ${all - first.length} more`] : []),
]

/** An import stops this long before its time is over, so that it can leave in good order. */
const RESERVE_MS = 20_000

/** Stops an import whose time runs out. */
export function needTime({ timeLeft }: ImportContext): void {
  if (timeLeft && timeLeft() < RESERVE_MS)
    throw new ImportStopped('The time was too short for all of the directory: import it again to go on')
}
