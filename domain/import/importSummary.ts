import { isDeepStrictEqual } from 'node:util'
import { type Section, sections } from '../../schemas/sections.ts'

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

/** What a line of a list begins with: where a record is in the file. */
type InFile = { section: string; index: number | null }
/** The first lines of a list, and how many more there are. */
export const linesOf = <T extends InFile>(first: readonly T[], all: number, textOf: (one: T) => string): string[] => [
  ...first.map((one) => `${one.section}${one.index === null ? '' : `[${one.index}]`}${textOf(one)}`),
  ...(all > first.length ? [`and ${all - first.length} more`] : []),
]
