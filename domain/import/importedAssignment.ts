import type { GroupAssignmentSource } from '../people/records/groupAssignment.ts'
import { grantOf, type RuleSet } from '../people/rules/ruleSet.ts'
import { channelAssignmentKey, groupAssignmentKey } from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import type { DirectoryFile, FileRecord } from './directoryFile.ts'
import type { Conflict } from './importSummary.ts'

/** A role that a user gets, and where it is in the file. */
type ImportedRole = { userId: string; index: number | null; role: string }
/** A role in a group. */
export type GroupAssignment = ImportedRole & { group: string; source: GroupAssignmentSource }
/** A role in a group or on a channel. */
export type Assignment = GroupAssignment | (ImportedRole & { channel: string })

/** All roles that the file gives to users. */
export const assignmentsIn = ({ user_group_assignments, channel_assignments }: DirectoryFile): Assignment[] => [
  ...user_group_assignments.map((record) => ({
    ...heldIn(record),
    group: record.value.group_id,
    source: record.value.source,
  })),
  ...channel_assignments.map((record) => ({ ...heldIn(record), channel: record.value.channel_id })),
]

const heldIn = ({ index, value }: FileRecord<'user_group_assignments' | 'channel_assignments'>): ImportedRole => ({
  userId: value.user_id,
  index,
  role: value.role_id,
})

/** The section of the file that an assignment is from. */
export const sectionOf = (one: Assignment) => ('group' in one ? 'user_group_assignments' : 'channel_assignments')

/** The key of an assignment. */
export const assignmentKey = (one: Assignment): Key =>
  'group' in one
    ? groupAssignmentKey(one.userId, one.group, one.role)
    : channelAssignmentKey(one.userId, one.channel, one.role)

/** The role in a user group; undefined for a channel. */
export const grantIn = (one: Assignment): string | undefined =>
  'group' in one ? grantOf(one.group, one.role) : undefined

/** Whether rules decide on an assignment that has the source RULE in the file. Without a rule for its role and group it is kept. */
export const isByRules = ({ matchers }: RuleSet, one: Assignment): boolean =>
  'group' in one && one.source === 'RULE' && matchers.has(grantOf(one.group, one.role))

/** Whether a conflict is about this assignment. */
export const isInConflict = (one: Assignment, { section, index }: Conflict): boolean =>
  sectionOf(one) === section && one.index === index
