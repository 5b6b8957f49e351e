import * as keys from '../table/keys.ts'
import { type DirectoryFile, type FileRecord, type ListSection, positionText } from './directoryFile.ts'
import { idOf, isPastDeadline } from './importedUser.ts'
import type { Seen } from './seenIdentities.ts'

// Finds records that are in a file twice.

/**
 * What no two records of a section may share: one or several properties, and their values as they are compared. `isDerived`
 * marks an id that the file does not give: it is made from the username.
 */
type Identity = { properties: readonly string[]; value: string; isDerived?: true }

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
    ...(isPastDeadline(user, now)
      ? []
      : [{ properties: ['username'], value: keys.usernameKey(user.username).pk }, ...external(user)]),
    ...(user.id ? [] : [{ properties: ['id'], value: idOf(user), isDerived: true as const }]),
  ],
  user_group_assignments: (assignment) => pairOf(assignment, 'group_id', 'user_id', 'role_id'),
  channel_assignments: (assignment) => pairOf(assignment, 'channel_id', 'user_id', 'role_id'),
  tasks: (task) => [id(task), ...(task.external_id ? pairOf(task, 'author_id', 'external_id') : [])],
  task_assignments: (assignment) => pairOf(assignment, 'task_id', 'user_id'),
})

/** Adds a fault of each record that shares an identity with an earlier one. `seen` remembers the identities of a section. */
export function checkUniqueness(
  file: DirectoryFile,
  now: string,
  seen: (section: ListSection) => Pick<Seen, 'add'> = firstIndexes,
): void {
  const all = identities(now) as unknown as Record<ListSection, (record: unknown) => Identity[]>
  for (const section of Object.keys(all) as ListSection[]) {
    const { add } = seen(section)
    for (const { index, value } of file[section] as readonly { index: number | null; value: unknown }[]) {
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
    add: (identity, at) => {
      const first = indexes.get(identity)
      if (first === undefined) indexes.set(identity, at)
      return first
    },
  }
}

/** The fault of a record that shares an identity with another one. Its text names all properties of the identity. */
function faultOf({ properties, isDerived }: Identity, other: string): { property: string; reason: string } {
  const [property = '', ...others] = properties.toReversed()
  if (isDerived) return { property: 'username', reason: `leads to the id of ${other}` }
  const too =
    others.length === 0 ? '' : `, and so ${others.length === 1 ? 'is' : 'are'} ${others.reverse().join(' and ')}`
  return { property, reason: `is the same as that of ${other}${too}` }
}
