import { isDeepStrictEqual } from 'node:util'
import { type Section, sections } from '../../schemas/sections.ts'
import type { ImportSummary, Tally } from './importContext.ts'

/** So many are listed: with every property of a user named, the answer stays below the 6 MB that Lambda takes. */
const MOST_LISTED = 20_000

/** A summary of nothing yet. */
export const emptySummary = (): ImportSummary => ({
  ...(Object.fromEntries(
    sections.map((section): [Section, Tally] => [
      section,
      { created: 0, updated: 0, unchanged: 0, different: 0, skipped: 0 },
    ]),
  ) as Record<Section, Tally>),
  differences: [],
})

/** Which of the properties a record has in the file with another value than in the store; absent is the same as null. */
export const differing = <T extends object>(names: readonly string[], wanted: T, stored: T): string[] =>
  names.filter((name) => !isDeepStrictEqual(wanted[name as keyof T] ?? null, stored[name as keyof T] ?? null))

/** The properties that a record of the file says something about. */
export const saidBy = (record: object): string[] =>
  Object.entries(record).flatMap(([name, value]) => (value === undefined ? [] : [name]))

/** Counts a record that is kept as it is stored, and lists it where that is not what the file says. */
export function countKept(
  summary: ImportSummary,
  { section, index }: { section: Section; index: number | null },
  properties: string[],
): void {
  if (properties.length === 0) {
    summary[section].unchanged++
    return
  }
  summary[section].different++
  if (summary.differences.length < MOST_LISTED) summary.differences.push({ section, index, properties })
}

/** Puts the differences into the order of the file. */
export function sortDifferences({ differences }: ImportSummary): void {
  const place = new Map(sections.map((section, n) => [section, n]))
  const placeOf = (section: Section) => place.get(section) ?? 0
  differences.sort((a, b) => placeOf(a.section) - placeOf(b.section) || (a.index ?? 0) - (b.index ?? 0))
}
