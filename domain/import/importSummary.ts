import { isDeepStrictEqual } from 'node:util'
import { type Section, sections } from '../../schemas/contract.ts'
import { isStoreDown } from '../base/errors.ts'

/** Where a record is in the file: `users[17]`; null where the section is one record, or the import adds the record itself. */
export type FilePosition = { section: Section; index: number | null }

/**
 * What became of the records of a section. Stored records are kept: they say the same as the file (unchanged) or
 * something else (different). Skipped are users who are gone for good, and what refers to users who are gone or did not
 * come. In conflict is what others took between the check and the write.
 */
export type Tally = Record<'created' | 'updated' | 'unchanged' | 'different' | 'skipped' | 'conflicts', number>

/** A stored record that differs from the file, and in which properties. */
type Difference = FilePosition & { properties: string[] }

/** A record that was left out, as others changed meanwhile what this property names. */
export type Conflict = FilePosition & { property: string }

/** What an import has done. Only the first differences and conflicts are listed; the tallies count all of them. */
export type ImportSummary = Record<Section, Tally> & { differences: Difference[]; conflicts: Conflict[] }

/** With every property of a user named, this many keep the answer below the 6 MB that Lambda allows. */
const MOST_DIFFERENCES = 20_000
const MOST_CONFLICTS = 5_000

const nothing: Tally = { created: 0, updated: 0, unchanged: 0, different: 0, skipped: 0, conflicts: 0 }

/** A summary of nothing yet. */
export const emptySummary = (): ImportSummary => ({
  ...(Object.fromEntries(sections.map((section) => [section, { ...nothing }])) as Record<Section, Tally>),
  differences: [],
  conflicts: [],
})

/** Adds what a part of an import has done. */
export function addSummary(sum: ImportSummary, part: ImportSummary): void {
  for (const section of sections)
    for (const kind of Object.keys(nothing) as (keyof Tally)[]) sum[section][kind] += part[section][kind]
  sum.differences = [...sum.differences, ...part.differences].slice(0, MOST_DIFFERENCES)
  sum.conflicts = [...sum.conflicts, ...part.conflicts].slice(0, MOST_CONFLICTS)
}

/** The tallies without the lists: what a log line or a table shows. */
export const talliesOf = ({ differences: _, conflicts: __, ...tallies }: ImportSummary): Record<Section, Tally> =>
  tallies

/** How many records of all sections are in conflict, or differ. */
export const totalOf = (summary: ImportSummary, kind: keyof Tally): number =>
  Object.values(talliesOf(summary)).reduce((sum, tally) => sum + tally[kind], 0)

/** The properties that differ between the file and the store; absent is the same as null. */
export const differing = <T extends object>(names: readonly string[], wanted: T, stored: T): string[] =>
  names.filter((name) => !isDeepStrictEqual(wanted[name as keyof T] ?? null, stored[name as keyof T] ?? null))

/** The names of the properties that a record of the file sets. */
export const propertiesOf = (record: object): string[] =>
  Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [name]))

/** Counts a record that stays as it is stored, and lists the properties that differ from the file. */
export function countKept(summary: ImportSummary, position: FilePosition, properties: string[]): void {
  const tally = summary[position.section]
  if (properties.length === 0) {
    tally.unchanged++
    return
  }
  tally.different++
  if (summary.differences.length < MOST_DIFFERENCES) summary.differences.push({ ...position, properties })
}

/** Counts and lists a record that is left out because others were faster. */
export function countConflict(summary: ImportSummary, conflict: Conflict): void {
  summary[conflict.section].conflicts++
  if (summary.conflicts.length < MOST_CONFLICTS) summary.conflicts.push(conflict)
}

/** Brings differences and conflicts into the order of the file. */
export function sortLists({ differences, conflicts }: ImportSummary): void {
  const order = new Map(sections.map((section, n) => [section, n]))
  const orderOf = ({ section }: FilePosition) => order.get(section) ?? 0
  for (const list of [differences, conflicts])
    list.sort((a: FilePosition, b: FilePosition) => orderOf(a) - orderOf(b) || (a.index ?? 0) - (b.index ?? 0))
}

/** The import could not begin or go on. What it has written stays; importing the same file again completes it. */
export class ImportStopped extends Error {
  override name = 'ImportStopped'
}

/** Says what to do where the database is busy or cannot be reached. */
export async function stopIfDown<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (!isStoreDown(cause)) throw cause
    throw new ImportStopped('The database is busy or cannot be reached: import the directory again to go on', { cause })
  }
}

/** One thing that is wrong with an import file. No values: files hold personal data, and faults are logged. */
export type ImportFault = { section: string; index: number | null; property: string; reason: string }

/** The file has faults. Of a file that had none when it was checked, parts may be written already: they stay. */
export class ImportRefused extends Error {
  override name = 'ImportRefused'
  readonly faults: readonly ImportFault[]
  constructor(faults: readonly ImportFault[]) {
    super(
      [`The directory has ${counted(faults)}: it is not imported any further`, ...faultLines(faults, 20)].join('\n'),
    )
    this.faults = faults
  }
}

const counted = ({ length }: readonly unknown[]): string => (length === 1 ? 'a fault' : `${length} faults`)

/** One line for each of the first faults: `users[17].email: must be an e-mail address`. */
export const faultLines = (faults: readonly ImportFault[], most: number): string[] =>
  linesOf(faults.slice(0, most), faults.length, ({ property, reason }) => `${property && `.${property}`}: ${reason}`)

/** One line for each of the first differences: `users[17]: email, tags`. */
export const differenceLines = (summary: ImportSummary, most: number): string[] =>
  linesOf(
    summary.differences.slice(0, most),
    totalOf(summary, 'different'),
    ({ properties }) => `: ${properties.join(', ')}`,
  )

/** One line for each of the first conflicts: `users[17]: username`. */
export const conflictLines = (summary: ImportSummary, most: number): string[] =>
  linesOf(summary.conflicts.slice(0, most), totalOf(summary, 'conflicts'), ({ property }) => `: ${property}`)

type InFile = { section: string; index: number | null }
const linesOf = <T extends InFile>(first: readonly T[], all: number, textOf: (one: T) => string): string[] => [
  ...first.map((one) => `${one.section}${one.index === null ? '' : `[${one.index}]`}${textOf(one)}`),
  ...(all > first.length ? [`and ${all - first.length} more`] : []),
]
