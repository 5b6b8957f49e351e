import type { Section } from '../../schemas/sections.ts'
import { AppError } from '../base/errors.ts'
import type { AttributeDefinition } from '../people/records/attributeDefinition.ts'
import type { Channel } from '../people/records/channel.ts'
import type { Group } from '../people/records/group.ts'
import type { Organisation } from '../people/records/organisation.ts'
import type { Role } from '../people/records/role.ts'
import type { UserRecord } from '../people/records/user.ts'
import { isGone } from '../people/records/userFields.ts'
import type { Rule } from '../people/rules/rule.ts'
import type { Localized } from '../request/context.ts'
import { checkTexts } from '../request/localizedTexts.ts'
import { mergePatch } from '../request/patch.ts'
import type { Write } from '../table/changes.ts'
import { textOfKey } from '../table/items.ts'
import type { Action, Key } from '../table/store.ts'
import type { Task } from '../tasks/task.ts'
import type { ProgressStatus } from '../tasks/taskAssignment.ts'
import type { DirectoryFile, FileRecord, ListSection } from './directoryFile.ts'
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

/** Adds a fault of one record. */
export type AddFault = (property: string, reason: string) => void
export const addFaultTo =
  ({ faults }: Draft, section: Section, index: number | null): AddFault =>
  (property, reason) => {
    faults.push({ section, index, property, reason })
  }

/** Whether the file has a record of this id with faults. References to it are no faults. */
export const isLeftOut = ({ file }: Pick<Draft, 'file'>, section: ListSection, id: string): boolean =>
  file.leftOut.get(section)?.has(id) ?? false

const nouns = { roles: 'role', user_groups: 'user group', channels: 'channel', users: 'user' } as const

/** Adds a fault if a record names another one that is neither stored nor in the file. */
export function checkNamed(
  draft: Draft,
  section: keyof typeof nouns,
  id: string,
  addFault: AddFault,
  property: string,
): void {
  const { roles, groups, channels } = draft.structure
  const records = { roles, user_groups: groups, channels, users: draft.users }[section]
  if (!records.has(id) && !isLeftOut(draft, section, id)) addFault(property, `must name a ${nouns[section]}`)
}

/** The user that a record names. Adds a fault if there is no such user. */
export function userNamed(draft: Draft, id: string, addFault: AddFault, property = 'user_id'): DraftedUser | undefined {
  checkNamed(draft, 'users', id, addFault, property)
  return draft.users.get(id)
}

/** Adds a fault if a stored user who is not active would get something new. */
export function checkMayReceive(draft: Draft, user: DraftedUser, key: Key, addFault: AddFault): void {
  if (user.kind === 'kept' && !mayReceive(user, user) && !draft.alreadyGiven(key))
    addFault('user_id', 'names a user who is not active')
}

/** What becomes of a record. */
type Outcome = 'created' | 'updated' | 'unchanged'

/**
 * A record as the file wants it: what the file does not say stays as it is stored, or as it is by default; null brings
 * the default back.
 */
export function patchedRecord<T extends object>(
  patch: object,
  stored: T | undefined,
  fresh: T,
  now: string,
): { data: T; outcome: Outcome } {
  const data = mergePatch(stored ?? fresh, patch, fresh)
  if (!stored) return { data, outcome: 'created' }
  if (data === stored) return { data, outcome: 'unchanged' }
  return { data: 'updated_at' in data ? { ...data, updated_at: now } : data, outcome: 'updated' }
}

type Titled = { title: Localized[]; description?: Localized[] }

/** A record as the file wants it, and the stored one. `fresh` is the record by default. Adds faults of its texts. */
export function wantedRecord<T extends Titled>(
  draft: Draft,
  section: Section,
  { index, value }: { index: number | null; value: object },
  { before, fresh }: { before: T | undefined; fresh: T },
) {
  const addFault = addFaultTo(draft, section, index)
  const { data, outcome } = patchedRecord(value, before, fresh, draft.context.now)
  // The import itself adds texts in English, whatever the languages are. If the organisation has faults, its languages are unknown.
  const isChecked = index !== null && !draft.faults.some((fault) => fault.section === 'organisation')
  const faults = isChecked ? checkTexts(data, draft.structure.organisation.languages, before) : []
  for (const { fault } of faults) addFault(fault.property, fault.message)
  return { addFault, before, data, outcome }
}

/** Adds faults if a stored record would get another value of one of these properties. */
export function checkFixed<T extends object>(
  names: readonly (keyof T & string)[],
  { data, stored }: { data: T; stored: T | undefined },
  addFault: AddFault,
): void {
  for (const name of names)
    if (stored && stored[name] !== data[name]) addFault(name, 'cannot change: others may rely on what is stored')
}

/** Adds a fault if a rule of the endpoints refuses the record, with the endpoint's message. */
export function checkRule(rule: () => unknown, addFault: AddFault, property: string): void {
  try {
    rule()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    addFault(property, `is refused: ${error.message}`)
  }
}
