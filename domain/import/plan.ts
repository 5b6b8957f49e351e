import type { Section } from '../../schemas/sections.ts'
import type { AttributeDefinition } from '../attributes/attributeDefinition.ts'
import type { Channel } from '../channels/channel.ts'
import type { Group } from '../groups/group.ts'
import type { Organisation } from '../organisation/organisation.ts'
import { checkTexts as textFaults } from '../request/localization.ts'
import { mergePatch } from '../request/mergePatch.ts'
import type { Role } from '../roles/role.ts'
import type { Action, Item } from '../table/store.ts'
import type { ProgressStatus } from '../tasks/taskAssignment.ts'
import type { UserRecord } from '../users/user.ts'
import type { DirectoryFile, ListSection } from './directoryFile.ts'
import type { ImportContext, ImportFault, ImportSummary } from './importContext.ts'

/** A record to write, and the data that it must still have when it is written; undefined where it must not exist yet. */
export type Change = {
  put: Item
  read: unknown
  beside?: readonly Action[]
  /** It changes the tree of groups. */
  inTree?: boolean
  /** The organisation and what is predefined in it come to exist together, before all else. */
  first?: boolean
}

export type GroupRole = { group: string; role: string; source: 'MANUAL' | 'RULE' }
export type ChannelRole = { channel: string; role: string }

/** A user to create, with the assignments that come to exist together with him. */
export type NewUser = {
  user: UserRecord
  groups: GroupRole[]
  channels: ChannelRole[]
  /** Partition keys of his reservations that somebody held whose deadline has passed. */
  expired: string[]
}

/**
 * What the import makes of a user: it leaves one who is there already as he is, and one who is gone in peace.
 * `primary` is his primary group, `given` the one that the file says.
 */
export type KnownUser =
  | { kind: 'new'; fresh: NewUser }
  | ({ kind: 'kept'; primary: string; given?: string } & Pick<UserRecord, 'last_name' | 'primary_was'>)
  | { kind: 'gone' }

/** An assignment for a user who exists already, and its place in the file. */
export type Later = { userId: string; index: number | null } & (
  | { group: string; source: 'MANUAL' | 'RULE' }
  | { channel: string }
) & {
    role: string
  }

/** An assignment for a task that exists already, and its place in the file; NEW where the file does not say its progress. */
export type LaterTask = {
  task_id: string
  user_id: string
  index: number | null
  progress_status: ProgressStatus | undefined
}

/** A task to create, with what else comes in its transaction, and all of its assignments. */
export type NewTask = { id: string; put: Item; beside: Action[]; assignments: Item[] }

/** All that an import is going to do, and all that is wrong with its file. */
export type Plan = {
  context: ImportContext
  file: DirectoryFile
  faults: ImportFault[]
  summary: ImportSummary
  /** The organisation as it will be, and the records that the file defines or refers to, as they will be. */
  organisation: Organisation
  roles: Map<string, Role>
  groups: Map<string, Pick<Group, 'parent_id' | 'status'>>
  /** The version of the tree of groups that the file was held against. */
  treeVersion: number
  definitions: Map<string, AttributeDefinition>
  channels: Map<string, Channel>
  changes: Change[]
  users: Map<string, KnownUser>
  /** Ids that were gone before they came, and must never be used. */
  tombstones: string[]
  later: Later[]
  tasks: NewTask[]
  laterTasks: LaterTask[]
}

/** Notes a fault of one record. */
export const noting =
  (plan: Pick<Plan, 'faults'>, section: Section, index: number | null) =>
  (property: string, reason: string): void => {
    plan.faults.push({ section, index, property, reason })
  }

/** Whether the file has a record of this id that has faults of its own: references to it are right. */
export const isUnsound = ({ file }: Pick<Plan, 'file'>, section: ListSection, id: string): boolean =>
  file.unsound.get(section)?.has(id) ?? false

type Merged<T> = { data: T; verdict: 'created' | 'updated' | 'unchanged' }

/**
 * A record as the file wants it: what the file does not say stays as it is stored, or as it is by default; null brings
 * the default back.
 */
export function merged<T extends object>(given: object, stored: T | undefined, fresh: T, now: string): Merged<T> {
  const data = mergePatch(stored ?? fresh, given, fresh)
  if (!stored) return { data, verdict: 'created' }
  if (data === stored) return { data, verdict: 'unchanged' }
  return { data: 'updated_at' in data ? { ...data, updated_at: now } : data, verdict: 'updated' }
}

/** Faults where a stored record would have to become something else. */
export function checkFixed<T extends object>(
  names: readonly (keyof T & string)[],
  { data, stored }: { data: T; stored: T | undefined },
  note: (property: string, reason: string) => void,
): void {
  for (const name of names)
    if (stored && stored[name] !== data[name]) note(name, 'cannot change: others may rely on what is stored')
}

/** Faults of titles and descriptions: what the import itself adds speaks English, whatever the organisation does. */
export function checkTexts(
  { organisation, file }: Plan,
  { index, value }: { index: number | null; value: unknown },
  note: (property: string, reason: string) => void,
  stored: Parameters<typeof textFaults>[2],
): void {
  // Which languages an organisation with faults of its own is going to have, nobody can tell.
  if (index === null || file.faults.some(({ section }) => section === 'organisation')) return
  for (const { fault } of textFaults(value, organisation.languages, stored)) note(fault.property, fault.message)
}
