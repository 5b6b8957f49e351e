import * as judges from '../../schemas/compiled/directory.js'
import { type Section, sections, trims } from '../../schemas/contract.ts'
import type { SectionRecords } from '../../schemas/directory.ts'
import {
  damage,
  damagedAt,
  isObject,
  messageOf,
  namedBy,
  partsOf,
  type SchemaFault,
  trimmed,
} from '../request/input.ts'
import * as keys from '../table/keys.ts'
import { hasEnded, idOf } from './importedUser.ts'
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

/** What no two records of a section share: a property, or several together, and their values as they are compared. */
type Identity = { properties: readonly string[]; value: string; follows?: true }

const joined = (...parts: string[]): string => parts.join('\n')
const external = ({ external_id }: { external_id?: string | null }): Identity[] =>
  external_id ? [{ properties: ['external_id'], value: external_id }] : []
const id = (record: { id: string }): Identity => ({ properties: ['id'], value: record.id })

/** The properties that name a record together; the last of them is the one that is told first. */
const together = <R>(record: R, ...properties: (keyof R & string)[]): Identity[] => [
  { properties, value: joined(...properties.map((property) => String(record[property]))) },
]

const identities = (now: string): { [S in ListSection]: (record: Entry<S>['value']) => Identity[] } => ({
  roles: (role) => [id(role)],
  user_groups: (group) => [id(group), ...external(group)],
  attribute_definitions: (definition) => together(definition, 'technical_name'),
  channels: (channel) => [id(channel)],
  channel_user_groups: (attachment) => together(attachment, 'channel_id', 'group_id'),
  users: (user) => [
    ...(user.id ? [{ properties: ['id'], value: user.id }] : []),
    // The names of a user who is gone already are free again.
    ...(hasEnded(user, now)
      ? []
      : [{ properties: ['username'], value: keys.usernameKey(user.username).pk }, ...external(user)]),
    ...(user.id ? [] : [{ properties: ['id'], value: idOf(user), follows: true as const }]),
  ],
  user_group_assignments: (assignment) => together(assignment, 'group_id', 'user_id', 'role_id'),
  channel_assignments: (assignment) => together(assignment, 'channel_id', 'user_id', 'role_id'),
  tasks: (task) => [id(task), ...(task.external_id ? together(task, 'author_id', 'external_id') : [])],
  task_assignments: (assignment) => together(assignment, 'task_id', 'user_id'),
})

/** Finds what is twice in a file. */
export function checkUniqueness(file: DirectoryFile, now: string): void {
  const all = identities(now) as unknown as Record<ListSection, (record: unknown) => Identity[]>
  for (const [section, identify] of Object.entries(all)) checkSection(file, section as ListSection, identify)
}

function checkSection(file: DirectoryFile, section: ListSection, identify: (record: unknown) => Identity[]): void {
  const seen = new Map<string, number | null>()
  for (const { index, value } of file[section] as readonly { index: number | null; value: unknown }[]) {
    const told = new Set<string>()
    for (const identity of identify(value)) {
      const name = joined(...identity.properties, identity.value)
      const first = seen.get(name)
      if (first === undefined) {
        seen.set(name, index)
        continue
      }
      const fault = faultOf(identity, `${section}[${first}]`)
      if (!told.has(fault.property)) file.faults.push({ section, index, ...fault })
      told.add(fault.property)
    }
  }
}

/** Names every property that is equal. An id that is not given follows from the username. */
function faultOf({ properties, follows }: Identity, other: string): { property: string; reason: string } {
  const [property = '', ...others] = properties.toReversed()
  if (follows) return { property: 'username', reason: `leads to the id of ${other}` }
  const too =
    others.length === 0 ? '' : `, and so ${others.length === 1 ? 'is' : 'are'} ${others.reverse().join(' and ')}`
  return { property, reason: `is the same as that of ${other}${too}` }
}
