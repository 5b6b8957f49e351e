import type { Section } from '../../schemas/contract.ts'
import type { AttributeDefinition } from '../attributes/attributeDefinition.ts'
import { AppError } from '../base/errors.ts'
import type { Channel } from '../channels/channel.ts'
import type { Group } from '../groups/group.ts'
import type { GroupAssignmentSource } from '../groups/groupAssignment.ts'
import { newOrganisation, type Organisation } from '../organisation/organisation.ts'
import type { Localized } from '../request/context.ts'
import { mergePatch } from '../request/input.ts'
import { checkTexts } from '../request/localization.ts'
import type { Role } from '../roles/role.ts'
import type { Write } from '../table/records.ts'
import { type Action, nameOf } from '../table/store.ts'
import type { Task } from '../tasks/task.ts'
import type { ProgressStatus } from '../tasks/taskAssignment.ts'
import type { UserRecord } from '../users/user.ts'
import type { DirectoryFile, Entry, ListSection } from './directoryFile.ts'
import type { ImportContext, Lookup } from './importStore.ts'
import { emptySummary, type ImportSummary } from './importSummary.ts'

/** A record to write, and its data as read, which it must still have; undefined where it must not exist yet. */
export type Change = {
  /** Overwrites only what is still as it was read. */
  write: Write
  verdict: Verdict
  beside?: readonly Action[]
  /** It changes the tree of groups. */
  inTree?: boolean
  /** The organisation and what is predefined in it are written together, before all else. */
  first?: boolean
}

/** A role that a user is to hold, and its place in the file. */
export type Held = { userId: string; index: number | null; role: string }
/** One in a group. */
export type GroupAssignment = Held & { group: string; source: GroupAssignmentSource }
/** One in a group or on a channel. */
export type Assignment = GroupAssignment | (Held & { channel: string })

/** A user to create, and the assignments that come with them. */
export type NewUser = {
  user: UserRecord
  index: number | null
  /** What the file says of them. */
  value: Entry<'users'>['value']
  assignments: Assignment[]
  /** Records of the file that say what follows from the primary group. */
  primaryRows: number
}

/** A stored user: `primary` is their primary group, `wanted` the one that the file says, if it has a record of them. */
export type KeptUser = { kind: 'kept'; primary: string; wanted?: string } & Pick<UserRecord, 'status' | 'primary_was'>

/** What the import does with a user: stored users stay as they are, and nobody who is gone comes back. */
export type KnownUser = { kind: 'new'; fresh: NewUser } | KeptUser | { kind: 'gone' }

/**
 * Whether a user may get what they do not have yet. As in the API a stored user must be active, unless the file has a
 * record of them: it restores what it says of its own users.
 */
export const mayGet = (known: KnownUser | undefined, { status }: Pick<UserRecord, 'status'>): boolean =>
  status === 'ACTIVE' || known?.kind === 'new' || (known?.kind === 'kept' && known.wanted !== undefined)

/** A recipient of a task, and their place in the file; NEW where it does not say their progress. */
export type Recipient = { user_id: string; index: number | null; progress_status: ProgressStatus | undefined }

/** A task to create. */
export type NewTask = { task: Task; index: number | null }

/** All that an import is going to do. */
export type Plan = {
  context: ImportContext
  /** The file, and all that is wrong with it. */
  file: DirectoryFile
  summary: ImportSummary
  /** The organisation as it will be, and the records that the file defines or refers to, as they will be. */
  organisation: Organisation
  roles: Map<string, Role>
  groups: Map<string, Pick<Group, 'parent_id' | 'status'>>
  /** The version of the tree of groups that the file was checked against. */
  treeVersion: number
  definitions: Map<string, AttributeDefinition>
  channels: Map<string, Channel>
  changes: Change[]
  /** What an earlier check of the same import has written, by the names of the items. */
  written: Map<string, Verdict>
  users: Map<string, KnownUser>
  /** Users of the file whose deadline has passed: their ids must never be used. */
  tombstones: { id: string; index: number | null }[]
  /** Assignments of stored users. */
  assignments: Assignment[]
  /** What is stored of assignments that may not be given anew, for their users or their roles. */
  held: Lookup
  tasks: NewTask[]
  /** Recipients by task: of stored tasks, and of new ones until they come with their task. */
  recipients: Map<string, Recipient[]>
}

/** A plan for a file, of nothing yet. */
export const emptyPlan = (context: ImportContext, file: DirectoryFile): Plan => ({
  context,
  file,
  summary: emptySummary(),
  organisation: newOrganisation,
  roles: new Map(),
  groups: new Map(),
  treeVersion: 0,
  definitions: new Map(),
  channels: new Map(),
  changes: [],
  written: new Map(),
  users: new Map(),
  tombstones: [],
  assignments: [],
  held: () => undefined,
  tasks: [],
  recipients: new Map(),
})

/** Counts a record, and plans its write if it changes. */
export function planChange(plan: Plan, section: Section, change: Change): void {
  plan.summary[section][plan.written.get(nameOf(change.write.put)) ?? change.verdict]++
  if (change.verdict !== 'unchanged') plan.changes.push(change)
}

/** Notes a fault of one record. */
export type Note = (property: string, reason: string) => void
export const noting =
  ({ file }: Plan, section: Section, index: number | null): Note =>
  (property, reason) => {
    file.faults.push({ section, index, property, reason })
  }

/** Whether the file has a record of this id that has faults of its own: references to it are right. */
export const isUnsound = ({ file }: Pick<Plan, 'file'>, section: ListSection, id: string): boolean =>
  file.unsound.get(section)?.has(id) ?? false

const nouns = { roles: 'role', user_groups: 'user group', channels: 'channel', users: 'user' } as const

/** Faults where a record names another one that is neither stored nor in the file. */
export function checkNamed(plan: Plan, section: keyof typeof nouns, id: string, note: Note, property: string): void {
  const known = { roles: plan.roles, user_groups: plan.groups, channels: plan.channels, users: plan.users }[section]
  if (!known.has(id) && !isUnsound(plan, section, id)) note(property, `names no ${nouns[section]}`)
}

type Verdict = 'created' | 'updated' | 'unchanged'
/**
 * A record as the file wants it: what the file does not say stays as it is stored, or as it is by default; null brings
 * the default back.
 */
export function merged<T extends object>(
  patch: object,
  stored: T | undefined,
  fresh: T,
  now: string,
): { data: T; verdict: Verdict } {
  const data = mergePatch(stored ?? fresh, patch, fresh)
  if (!stored) return { data, verdict: 'created' }
  if (data === stored) return { data, verdict: 'unchanged' }
  return { data: 'updated_at' in data ? { ...data, updated_at: now } : data, verdict: 'updated' }
}

type Titled = { title: Localized[]; description?: Localized[] }

/** A record of the file beside the stored one, and what is wrong with its texts. */
export function mergedRecord<T extends Titled>(
  plan: Plan,
  section: Section,
  { index, value }: { index: number | null; value: object },
  { before, fresh }: { before: T | undefined; fresh: T },
) {
  const note = noting(plan, section, index)
  const { data, verdict } = merged(value, before, fresh, plan.context.now)
  // What the import itself adds is in English, whatever the languages are. Those of an organisation with faults are not known.
  const isJudged = index !== null && !plan.file.faults.some((fault) => fault.section === 'organisation')
  const faults = isJudged ? checkTexts(data, plan.organisation.languages, before) : []
  for (const { fault } of faults) note(fault.property, fault.message)
  return { note, before, data, verdict }
}

/** Faults where a stored record would have to become something else. */
export function checkFixed<T extends object>(
  names: readonly (keyof T & string)[],
  { data, stored }: { data: T; stored: T | undefined },
  note: Note,
): void {
  for (const name of names)
    if (stored && stored[name] !== data[name]) note(name, 'cannot change: others may rely on what is stored')
}

/** Notes what a rule of the endpoints refuses; the reason is the endpoint's. */
export function checkRule(rule: () => unknown, note: Note, property: string): void {
  try {
    rule()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    note(property, `is refused: ${error.message}`)
  }
}
