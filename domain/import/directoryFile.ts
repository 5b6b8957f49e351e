import * as judges from '../../schemas/compiled/directory.js'
import type { SectionRecords } from '../../schemas/directory.ts'
import { type Section, sections, trims } from '../../schemas/sections.ts'
import { isObject } from '../base/values.ts'
import { damage, damagedAt, trimmed } from '../request/bodies.ts'
import { faultMessage, namedBy, partsOf, type SchemaFault } from '../request/faults.ts'
import * as keys from '../table/keys.ts'
import type { ImportFault } from './importErrors.ts'
import { hasEnded, idOf } from './importedUser.ts'
import type { Seen } from './seenNames.ts'

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
  const note = (reason: string) => file.faults.push({ section, index: null, property: '', reason })
  if (!isSection(section)) note('must be a section of a directory')
  else if (section === 'organisation') takeRecord(file, section, records, null)
  else if (Array.isArray(records))
    for (const [index, record] of records.entries()) takeRecord(file, section, record, index)
  else if (records !== undefined) note('must be array')
}

export const isSection = (name: string): name is Section => sections.includes(name as Section)

/** Takes a record into a file, if its shape is right. */
export function takeRecord(file: DirectoryFile, section: Section, record: unknown, index: number | null): void {
  const { faults } = file
  if (section === 'organisation') {
    if (file.organisation) faults.push({ section, index, property: '', reason: 'must not be given twice' })
    else if (record !== undefined && isSound(section, record, { index, faults }))
      file.organisation = record as SectionRecords['organisation']
    return
  }
  const value = trimmed(record, trimsOf[section] ?? [])
  if (isSound(section, value, { index, faults })) (file[section] as AnyFileRecord[]).push({ index, value })
  else if (isObject(value)) file.leftOut.get(section)?.add(value.id ?? value.technical_name)
}

/** The properties of each section whose outer white space is dropped. */
const trimsOf: Partial<Record<Section, readonly string[]>> = trims

// A plain object: bundlers cannot see which exports of a module computed names use.
const judgeOf = { ...judges }

type At = { index: number | null; faults: ImportFault[] }

function isSound(section: Section, value: unknown, { index, faults }: At): boolean {
  const judge = judgeOf[section]
  const damaged = damagedAt(value).map((property) => ({ section, index, property, reason: damage }))
  faults.push(...damaged)
  if (judge(value)) return damaged.length === 0
  const different = new Map((judge.errors ?? []).map((error) => [`${propertyOf(error)} ${faultMessage(error)}`, error]))
  for (const error of different.values())
    faults.push({ section, index, property: propertyOf(error), reason: faultMessage(error) })
  return false
}

const propertyOf = ({ instancePath, keyword, params }: SchemaFault): string =>
  [...partsOf(instancePath), namedBy(keyword, params)].filter((part) => part !== undefined).join('.')

/**
 * What no two records of a section may share: one or several properties, and their values as they are compared. `follows`
 * marks an id that the file does not give: it follows from the username.
 */
type Identity = { properties: readonly string[]; value: string; follows?: true }

const joined = (...parts: string[]): string => parts.join('\n')
const external = ({ external_id }: { external_id?: string | null }): Identity[] =>
  external_id ? [{ properties: ['external_id'], value: external_id }] : []
const id = (record: { id: string }): Identity => ({ properties: ['id'], value: record.id })

/** Several properties that identify a record; a fault is one of the last property. */
const pairOf = <R>(record: R, ...properties: (keyof R & string)[]): Identity[] => [
  { properties, value: joined(...properties.map((property) => String(record[property]))) },
]

const identities = (now: string): { [S in ListSection]: (record: FileRecord<S>['value']) => Identity[] } => ({
  roles: (role) => [id(role)],
  user_groups: (group) => [id(group), ...external(group)],
  attribute_definitions: ({ technical_name }) => [{ properties: ['technical_name'], value: technical_name }],
  channels: (channel) => [id(channel)],
  channel_user_groups: (attachment) => pairOf(attachment, 'channel_id', 'group_id'),
  user_group_rules: (rule) => (rule.id ? [id({ id: rule.id })] : pairOf(rule, 'user_group_id', 'role_id', 'title')),
  users: (user) => [
    ...(user.id ? [{ properties: ['id'], value: user.id }] : []),
    // The names of a user whose deadline has passed are free again.
    ...(hasEnded(user, now)
      ? []
      : [{ properties: ['username'], value: keys.usernameKey(user.username).pk }, ...external(user)]),
    ...(user.id ? [] : [{ properties: ['id'], value: idOf(user), follows: true as const }]),
  ],
  user_group_assignments: (assignment) => pairOf(assignment, 'group_id', 'user_id', 'role_id'),
  channel_assignments: (assignment) => pairOf(assignment, 'channel_id', 'user_id', 'role_id'),
  tasks: (task) => [id(task), ...(task.external_id ? pairOf(task, 'author_id', 'external_id') : [])],
  task_assignments: (assignment) => pairOf(assignment, 'task_id', 'user_id'),
})

/** Notes a fault of each record that shares an identity with an earlier one. `seen` remembers the identities of a section. */
export function checkUniqueness(
  file: DirectoryFile,
  now: string,
  seen: (section: ListSection) => Pick<Seen, 'add'> = firstIndexes,
): void {
  const all = identities(now) as unknown as Record<ListSection, (record: unknown) => Identity[]>
  for (const section of Object.keys(all) as ListSection[]) {
    const { add } = seen(section)
    for (const { index, value } of file[section] as readonly AnyFileRecord[]) {
      const repeated = all[section](value).flatMap((identity) => {
        const first = add(joined(...identity.properties, identity.value), index ?? 0)
        return first === undefined ? [] : [faultOf(identity, positionText(file, section, first))]
      })
      // One fault for each property.
      for (const fault of new Map(repeated.toReversed().map((one) => [one.property, one])).values())
        file.faults.push({ section, index, ...fault })
    }
  }
}

function firstIndexes(): Pick<Seen, 'add'> {
  const indexes = new Map<string, number>()
  return {
    add: (name, at) => {
      const first = indexes.get(name)
      if (first === undefined) indexes.set(name, at)
      return first
    },
  }
}

/** The fault of a record that shares an identity with another one. Its text names all properties of the identity. */
function faultOf({ properties, follows }: Identity, other: string): { property: string; reason: string } {
  const [property = '', ...others] = properties.toReversed()
  if (follows) return { property: 'username', reason: `leads to the id of ${other}` }
  const too =
    others.length === 0 ? '' : `, and so ${others.length === 1 ? 'is' : 'are'} ${others.reverse().join(' and ')}`
  return { property, reason: `is the same as that of ${other}${too}` }
}

/** The file without these records and without faults. References to the records that are left out are no faults. */
export function without(
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
