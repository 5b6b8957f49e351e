import * as keys from '../table/keys.ts'
import type { DirectoryFile, Entry, ListSection } from './directoryFile.ts'
import { hasEnded, idOf } from './importedUser.ts'

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
