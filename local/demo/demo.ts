import { serviceAccountId } from '../identity/tokenEndpoint.ts'
import {
  channelAssignments,
  channelGroups,
  channels,
  groupAssignments,
  tasksAndAssignments,
} from './assignmentsAndTasks.ts'
import type { Directory, DirectoryUser } from './importTypes.ts'
import { attributeDefinitions, groups, roles, rules, teams } from './organisation.ts'
import { somePeople } from './somePeople.ts'
import { demoUsers } from './users.ts'

export type { Directory } from './importTypes.ts'
export { logins } from './users.ts'

const organisation = {
  default_language: 'en-GB',
  languages: ['en-GB', 'de-DE', 'fr-FR'],
  features: { tasks: true, user_deactivation: true },
}

/** The demo organisation as an import file: always the same, except for moments relative to `now`. */
export const demoDirectory = (now = new Date()): Directory => {
  const users = demoUsers(now)
  return withServiceAccount({
    organisation,
    roles,
    user_groups: groups,
    attribute_definitions: attributeDefinitions,
    users,
    user_group_assignments: groupAssignments(users),
    channels,
    channel_user_groups: channelGroups,
    user_group_rules: rules,
    channel_assignments: channelAssignments(users),
    ...tasksAndAssignments(users, now),
  })
}

const serviceAccount: DirectoryUser = {
  id: serviceAccountId,
  username: serviceAccountId,
  first_name: 'Service',
  last_name: 'Account',
  role: 'ADMIN',
  status: 'ACTIVE',
  protected: true,
}

/** A directory with the protected administrator who gets tokens by client credentials on this machine. */
export const withServiceAccount = (directory: Directory): Directory => {
  // An invalid directory is returned unchanged: the import reports its faults.
  const users = directory ? (directory.users ?? []) : undefined
  if (!Array.isArray(users)) return directory
  const others = users.filter((user) => user?.id !== serviceAccountId)
  return { ...directory, users: [...others, serviceAccount] }
}

/**
 * A directory with this many users, for benchmarks and tests: always the same for the same seed. Only `admin-0` is an
 * administrator; every tenth user is not ACTIVE.
 */
export const generateDirectory = ({ users, seed = 0 }: { users: number; seed?: number }): Directory => ({
  organisation,
  roles,
  user_groups: groups,
  attribute_definitions: attributeDefinitions,
  users: somePeople(users, seed * 20).map(({ culture, ...name }, index) => {
    const { id, title, jobs } = teams[index % teams.length] as (typeof teams)[number]
    return {
      id: index === 0 ? 'admin-0' : `u-${index}`,
      external_id: `E-${index}`,
      ...name,
      email: `${name.username}@large.example`,
      role: index === 0 ? ('ADMIN' as const) : ('USER' as const),
      status:
        index % 10 === 9 ? (index % 20 === 9 ? ('LOCKED' as const) : ('DEACTIVATED' as const)) : ('ACTIVE' as const),
      attributes: [
        { name: 'department', value: title[0] },
        { name: 'location', value: culture.location },
        { name: 'job_title', value: jobs[index % jobs.length] as string },
      ],
      primary_user_group_id: id,
    }
  }),
})
