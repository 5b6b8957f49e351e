import type { Section } from '../../schemas/sections.ts'
import type { AttributeDefinition } from '../people/records/attributeDefinition.ts'
import type { Channel } from '../people/records/channel.ts'
import type { Group } from '../people/records/group.ts'
import type { Organisation } from '../people/records/organisation.ts'
import type { Role } from '../people/records/role.ts'
import type { UserRecord } from '../people/records/user.ts'
import { isGone } from '../people/records/userFields.ts'
import type { Rule } from '../people/rules/rule.ts'
import type { Write } from '../table/changes.ts'
import { textOfKey } from '../table/items.ts'
import type { Action } from '../table/store.ts'
import type { Task } from '../tasks/task.ts'
import type { ProgressStatus } from '../tasks/taskAssignment.ts'
import type { DirectoryFile, FileRecord } from './directoryFile.ts'
import type { ImportContext } from './importContext.ts'
import type { ImportFault } from './importErrors.ts'
import type { Assignment } from './importedAssignment.ts'
import { userIn } from './importedUser.ts'
import { emptySummary, type ImportSummary } from './importSummary.ts'
import type { Lookup } from './lookup.ts'

// A draft: what an import will do with a slice of a file. The other `draft…` files fill it, and the `write…` files write it.

/** The write of a record that users refer to. */
export type DraftedChange = {
  /** Overwrites only what is still as it was read. */
  write: Write
  outcome: Outcome
  /** Further actions of the same transaction. */
  also?: readonly Action[]
  /** It changes the tree of groups. */
  inTree?: boolean
  /** The organisation and what is predefined in it: written before all else, in one transaction. */
  first?: boolean
}

/** A user to create, and the assignments that come with them. */
export type NewUser = {
  user: UserRecord
  index: number | null
  /** Their record in the file. */
  value: FileRecord<'users'>['value']
  assignments: Assignment[]
  /** How many assignments of the file follow from the primary group. */
  primaryRows: number
}

/** A stored user. `primary` is their primary group; `primaryInFile` is that of the file, if it has a record of them. */
export type KeptUser = { kind: 'kept'; primary: string; primaryInFile?: string } & Pick<
  UserRecord,
  'status' | 'primary_was'
>

/** What becomes of a user: stored users are kept as they are, users who are gone do not come back, and those in
 * conflict with others are left out as if they were gone. */
export type DraftedUser = { kind: 'new'; newUser: NewUser } | KeptUser | { kind: 'gone' }

/**
 * Whether a user may get a role or task that they do not have yet. As in the API, a stored user must be active; but not if the
 * file has a record of the user, as then it restores what the user had.
 */
export const mayReceive = (drafted: DraftedUser | undefined, { status }: Pick<UserRecord, 'status'>): boolean =>
  status === 'ACTIVE' || drafted?.kind === 'new' || (drafted?.kind === 'kept' && drafted.primaryInFile !== undefined)

/** A stored user who can get a role or task; undefined for users who are gone, or whose own record was left out. */
export function presentUser({ context, users }: Draft, stored: Lookup, id: string): UserRecord | undefined {
  const user = userIn(stored, id)
  return user && !isGone(user, context.now) && users.get(id)?.kind !== 'gone' ? user : undefined
}

/** A recipient of a task, and where they are in the file. Without `progress_status` they begin as NEW. */
export type Recipient = { user_id: string; index: number | null; progress_status: ProgressStatus | undefined }

/** A task to create. */
export type NewTask = { task: Task; index: number | null }

/** A rule to write. `before` is the stored one that it changes. */
export type DraftedRule = { before: Rule | undefined; after: Rule; outcome: Outcome }

/** What users refer to (organisation, roles, groups, definitions, channels): read from the table, then replaced by what the file says. */
export type Structure = {
  /** The organisation as it is stored. A fresh table has none, and so no users either: without it no user can be created. */
  storedOrganisation: Organisation | undefined
  organisation: Organisation
  roles: Map<string, Role>
  groups: Map<string, Pick<Group, 'parent_id' | 'status'>>
  /** The version of the tree of groups that was read. */
  treeVersion: number
  definitions: Map<string, AttributeDefinition>
  channels: Map<string, Channel>
}

/** What becomes of a record. */
export type Outcome = 'created' | 'updated' | 'unchanged'

/** What earlier attempts at the slice have written, by the names of the items. The summary counts it by the first outcome. */
export type Written = Map<string, Outcome>

/** What an import will do with a slice of a file. */
export type Draft = {
  context: ImportContext
  /** The records of the slice. A draft never changes them, so that they can be drafted again. */
  file: DirectoryFile
  /** All that is wrong with the slice. */
  faults: ImportFault[]
  summary: ImportSummary
  /** What users refer to, as it will be. */
  structure: Structure
  /** The writes of the structure. */
  changes: DraftedChange[]
  written: Written
  users: Map<string, DraftedUser>
  /** Users of the file whose deadline has passed: their ids must never be used. */
  tombstones: { id: string; index: number | null }[]
  /** Assignments to give after the users are written. */
  assignments: Assignment[]
  /** Stored assignments that could not be given now, as the user is not active or the role is not to be handed out. They stay. */
  alreadyGiven: Lookup
  tasks: NewTask[]
  /** The rules to write, one by one. */
  rules: DraftedRule[]
  /** Recipients by task. Those of a new task are removed here once the task is written. */
  recipients: Map<string, Recipient[]>
}

/** A draft of nothing yet. */
export const emptyDraft = (
  context: ImportContext,
  file: DirectoryFile,
  structure: Structure,
  written: Written = new Map(),
): Draft => ({
  context,
  file,
  faults: [...file.faults],
  summary: emptySummary(),
  structure,
  changes: [],
  written,
  users: new Map(),
  tombstones: [],
  assignments: [],
  alreadyGiven: () => undefined,
  tasks: [],
  rules: [],
  recipients: new Map(),
})

/** Counts a record, and drafts its write if it changes. */
export function draftChange(draft: Draft, section: Section, change: DraftedChange): void {
  draft.summary[section][draft.written.get(textOfKey(change.write.put)) ?? change.outcome]++
  if (change.outcome !== 'unchanged') draft.changes.push(change)
}
