import * as keys from '../store/keys.ts'
import type { DirectoryFile, Entry, ListSection } from './directoryFile.ts'
import { hasEnded, idOf } from './importedUser.ts'

/** What no two records of a section share: the property that is told, and its value as it is compared. */
type Identity<R> = (record: R) => readonly [property: string, value: string][]

const joined = (...parts: string[]): string => parts.join('\n')
const external = ({ external_id }: { external_id?: string | null }): [string, string][] =>
  external_id ? [['external_id', external_id]] : []

const identities = (now: string): { [S in ListSection]: Identity<Entry<S>['value']> } => ({
  roles: ({ id }) => [['id', id]],
  user_groups: (group) => [['id', group.id], ...external(group)],
  attribute_definitions: ({ technical_name }) => [['technical_name', technical_name]],
  channels: ({ id }) => [['id', id]],
  channel_user_groups: ({ channel_id, group_id }) => [['group_id', joined(channel_id, group_id)]],
  users: (user) => [
    ['id', idOf(user)],
    // The names of a user who is gone already are free again.
    ...(hasEnded(user, now)
      ? []
      : [['username', keys.usernameKey(user.username).pk] as [string, string], ...external(user)]),
  ],
  user_group_assignments: ({ group_id, user_id, role_id }) => [['role_id', joined(group_id, user_id, role_id)]],
  channel_assignments: ({ channel_id, user_id, role_id }) => [['role_id', joined(channel_id, user_id, role_id)]],
  // Of tasks they are unique among those of one author.
  tasks: ({ id, author_id, external_id }) => [
    ['id', id],
    ...(external_id ? [['external_id', joined(author_id, external_id)] as [string, string]] : []),
  ],
  task_assignments: ({ task_id, user_id }) => [['user_id', joined(task_id, user_id)]],
})

/** Finds what is twice in a file. */
export function checkUniqueness(file: DirectoryFile, now: string): void {
  const all = identities(now) as unknown as Record<ListSection, Identity<unknown>>
  for (const [section, identity] of Object.entries(all)) checkSection(file, section as ListSection, identity)
}

function checkSection(file: DirectoryFile, section: ListSection, identity: Identity<unknown>): void {
  const seen = new Map<string, number | null>()
  for (const { index, value } of file[section] as readonly { index: number | null; value: unknown }[]) {
    for (const [property, text] of identity(value)) {
      const name = joined(property, text)
      const first = seen.get(name)
      if (first === undefined) seen.set(name, index)
      else file.faults.push({ section, index, property, reason: `is the same as in ${section}[${first}]` })
    }
  }
}
