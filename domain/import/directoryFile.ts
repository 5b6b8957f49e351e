import * as validators from '../../schemas/compiled/directory.js'
import type { SectionRecords } from '../../schemas/directory.ts'
import { type Section, sections, trims } from '../../schemas/sections.ts'
import { isObject } from '../base/values.ts'
import { damage, damagedAt, trimmed } from '../request/bodies.ts'
import { faultMessage, namedBy, partsOf, type SchemaFault } from '../request/faults.ts'
import type { ImportFault } from './importErrors.ts'
import { idOf } from './importedUser.ts'

/** A record of the file and where it is there; null for what the import adds by itself. */
export type FileRecord<S extends Section> = { index: number | null; value: SectionRecords[S] }
type AnyFileRecord = { index: number | null; value: unknown }

/** The sections that are lists. */
export type ListSection = Exclude<Section, 'organisation'>

type Lists = { [S in ListSection]: FileRecord<S>[] }

/** An import file, or a slice of one: the records whose shape is right, and what is wrong with the others. */
export type DirectoryFile = Lists & {
  organisation: SectionRecords['organisation'] | undefined
  faults: ImportFault[]
  /** Ids of the other records by section: references to them are no faults. */
  leftOut: ReadonlyMap<ListSection, Set<unknown>>
  /** The `index` of a record is its line, not its number in a list. */
  isInLines: boolean
}

const listSections = sections.filter((name) => name !== 'organisation') as ListSection[]

/** A file without records. */
export const emptyFile = (): DirectoryFile => ({
  ...(Object.fromEntries(listSections.map((section) => [section, []])) as unknown as Lists),
  organisation: undefined,
  faults: [],
  leftOut: new Map(listSections.map((section) => [section, new Set()])),
  isInLines: false,
})

/** Where a record is, as the faults of others name it. */
export const positionText = ({ isInLines }: DirectoryFile, section: ListSection, index: number): string =>
  isInLines ? `line ${index}` : `${section}[${index}]`

/** Reads a file and checks the shape of each record. */
export function readDirectory(directory: unknown): DirectoryFile {
  const file = emptyFile()
  if (isObject(directory))
    for (const [section, records] of Object.entries(directory)) readSection(file, section, records ?? undefined)
  else file.faults.push({ section: 'directory', index: null, property: '', reason: 'must be an object' })
  return file
}

function readSection(file: DirectoryFile, section: string, records: unknown): void {
  const addFault = (reason: string) => file.faults.push({ section, index: null, property: '', reason })
  if (!isSection(section)) addFault('must be a section of a directory')
  else if (section === 'organisation') takeRecord(file, section, records, null)
  else if (Array.isArray(records))
    for (const [index, record] of records.entries()) takeRecord(file, section, record, index)
  else if (records !== undefined) addFault('must be array')
}

export const isSection = (name: string): name is Section => sections.includes(name as Section)

/** Takes a record into a file, if its shape is right. */
export function takeRecord(file: DirectoryFile, section: Section, record: unknown, index: number | null): void {
  const { faults } = file
  if (section === 'organisation') {
    if (file.organisation) faults.push({ section, index, property: '', reason: 'must not be given twice' })
    else if (record !== undefined && isValid(section, record, { index, faults }))
      file.organisation = record as SectionRecords['organisation']
    return
  }
  const value = trimmed(record, trimsOf[section] ?? [])
  if (isValid(section, value, { index, faults })) (file[section] as AnyFileRecord[]).push({ index, value })
  else if (isObject(value)) file.leftOut.get(section)?.add(value.id ?? value.technical_name)
}

/** The properties of each section whose outer white space is dropped. */
const trimsOf: Partial<Record<Section, readonly string[]>> = trims

// A plain object: bundlers cannot see which exports of a module computed names use.
const validatorOf = { ...validators }

type At = { index: number | null; faults: ImportFault[] }

function isValid(section: Section, value: unknown, { index, faults }: At): boolean {
  const validate = validatorOf[section]
  const damaged = damagedAt(value).map((property) => ({ section, index, property, reason: damage }))
  faults.push(...damaged)
  if (validate(value)) return damaged.length === 0
  const different = new Map(
    (validate.errors ?? []).map((error) => [`${propertyOf(error)} ${faultMessage(error)}`, error]),
  )
  for (const error of different.values())
    faults.push({ section, index, property: propertyOf(error), reason: faultMessage(error) })
  return false
}

const propertyOf = ({ instancePath, keyword, params }: SchemaFault): string =>
  [...partsOf(instancePath), namedBy(keyword, params)].filter((part) => part !== undefined).join('.')

/** The file without these records and without faults. References to the records that are left out are no faults. */
export function withoutRecords(
  file: DirectoryFile,
  positions: readonly { section: ListSection; index: number }[],
): DirectoryFile {
  const leftOut = new Map([...file.leftOut].map(([section, ids]) => [section, new Set(ids)]))
  const lists: Partial<Lists> = {}
  for (const [section, some] of Map.groupBy(positions, (position) => position.section)) {
    const indexes = new Set<number | null>(some.map(({ index }) => index))
    const records: readonly AnyFileRecord[] = file[section]
    Object.assign(lists, { [section]: records.filter(({ index }) => !indexes.has(index)) })
    if (section === 'users')
      for (const { index, value } of file.users) if (indexes.has(index)) leftOut.get('users')?.add(idOf(value))
  }
  return { ...file, ...lists, leftOut, faults: [] }
}
