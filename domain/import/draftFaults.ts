import type { Section } from '../../schemas/sections.ts'
import { AppError } from '../base/errors.ts'
import type { Key } from '../table/store.ts'
import type { ListSection } from './directoryFile.ts'
import { type Draft, type DraftedUser, mayReceive } from './draft.ts'

// How the `draft…` files find faults of records.

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
