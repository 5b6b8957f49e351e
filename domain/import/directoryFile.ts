import * as judges from '../../schemas/compiled/directory.js'
import { type Section, sections, trims } from '../../schemas/contract.ts'
import type { SectionRecords } from '../../schemas/directory.ts'
import { damage, damagedAt, messageOf, namedBy, partsOf, type SchemaFault, trimmed } from '../request/input.ts'
import type { ImportFault } from './importSummary.ts'

/** A record of the file and its place there; null for what the import adds by itself. */
export type Entry<S extends Section> = { index: number | null; value: SectionRecords[S] }
type AnyEntry = { index: number | null; value: unknown }

/** The sections that are lists. */
export type ListSection = Exclude<Section, 'organisation'>

type Lists = { [S in ListSection]: Entry<S>[] }

/** An import file after a first look: its sound records, and what is wrong with the others. */
export type DirectoryFile = Lists & {
  organisation: SectionRecords['organisation'] | undefined
  faults: ImportFault[]
  /** Ids of unsound records by section: references to them are no faults. */
  unsound: ReadonlyMap<ListSection, ReadonlySet<unknown>>
}

const listSections = sections.filter((name) => name !== 'organisation') as ListSection[]

/** Judges the shape of everything in a file, record by record. */
export function readDirectory(directory: unknown): DirectoryFile {
  const faults: ImportFault[] = []
  if (!isObject(directory))
    faults.push({ section: 'directory', index: null, property: '', reason: 'must be an object' })
  const given: Record<string, unknown> = isObject(directory) ? directory : {}
  for (const section of Object.keys(given))
    if (!sections.includes(section as Section))
      faults.push({ section, index: null, property: '', reason: 'is no section of a directory' })
  const lists = listSections.map((section) => [section, readList(section, given[section], faults)] as const)
  return {
    ...(Object.fromEntries(lists.map(([section, { sound }]) => [section, sound])) as unknown as Lists),
    organisation: readOrganisation(given.organisation, faults),
    faults,
    unsound: new Map(lists.map(([section, { unsound }]) => [section, unsound])),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readOrganisation(given: unknown, faults: ImportFault[]): DirectoryFile['organisation'] {
  if (given === undefined || given === null) return undefined
  return isSound('organisation', given, { index: null, faults }) ? (given as SectionRecords['organisation']) : undefined
}

type List = { sound: AnyEntry[]; unsound: Set<unknown> }

function readList(section: ListSection, given: unknown, faults: ImportFault[]): List {
  const list: List = { sound: [], unsound: new Set() }
  if (given === undefined || given === null) return list
  if (!Array.isArray(given)) {
    faults.push({ section, index: null, property: '', reason: 'must be array' })
    return list
  }
  given.forEach((record, index) => {
    const value = trimmed(record, namesOf[section] ?? [])
    if (isSound(section, value, { index, faults })) list.sound.push({ index, value })
    else if (isObject(value)) list.unsound.add(value.id ?? value.technical_name)
  })
  return list
}

// A plain object: modules are not to be asked for names that are known only at run time.
const judgeOf = { ...judges }

const namesOf: Partial<Record<Section, readonly string[]>> = trims

type At = { index: number | null; faults: ImportFault[] }

function isSound(section: Section, value: unknown, { index, faults }: At): boolean {
  const judge = judgeOf[section]
  const damaged = damagedAt(value).map((property) => ({ section, index, property, reason: damage }))
  faults.push(...damaged)
  if (judge(value)) return damaged.length === 0
  const told = new Map((judge.errors ?? []).map((error) => [`${propertyOf(error)} ${messageOf(error)}`, error]))
  for (const error of told.values())
    faults.push({ section, index, property: propertyOf(error), reason: messageOf(error) })
  return false
}

const propertyOf = ({ instancePath, keyword, params }: SchemaFault): string =>
  [...partsOf(instancePath), namedBy(keyword, params)].filter((part) => part !== undefined).join('.')
