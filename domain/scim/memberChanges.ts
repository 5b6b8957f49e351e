import { isObject } from '../request/input.ts'
import type { Filter } from './filter.ts'
import type { Step } from './patch.ts'
import { isUnassigned } from './resource.ts'
import { isSameName } from './schema.ts'
import { invalidValue, ScimError } from './scimError.ts'

// What a request says of a group's members. They are not loaded: operations become sets of users who come and go.

/** Users to add and to remove, by id. `replaces`: all members who are not added are removed. */
export type WantedMembers = { replaces: boolean; add: ReadonlySet<string>; remove: ReadonlySet<string> }

export const noMembers: WantedMembers = { replaces: false, add: new Set(), remove: new Set() }

/** The members of a resource in POST and PUT; undefined if it says nothing of members. */
export function membersIn(value: unknown): WantedMembers | undefined {
  if (value === undefined) return undefined
  return { replaces: true, add: new Set(idsIn(value)), remove: new Set() }
}

/** What operations on `members` mean together, one after the other. */
export const membersAfter = (steps: readonly Step[]): WantedMembers => steps.reduce(afterStep, noMembers)

function afterStep(before: WantedMembers, { op, path, value }: Step): WantedMembers {
  if (path.filter) return op === 'remove' && !path.sub ? without(before, idsChosen(path.filter)) : refuseChange()
  const isWhole = path.keys.length === 1
  if (!isWhole && path.keys[1] !== 'value') return refuseChange()
  if (op === 'add') return withMore(before, idsIn(value))
  if (op === 'replace') return { replaces: true, add: new Set(idsIn(value)), remove: new Set() }
  return isUnassigned(value) ? { replaces: true, add: new Set(), remove: new Set() } : without(before, idsIn(value))
}

function refuseChange(): never {
  throw new ScimError('mutability', 'A member cannot be changed: add or remove it')
}

const minus = (all: ReadonlySet<string>, ids: readonly string[]): Set<string> => {
  const left = new Set(all)
  for (const id of ids) left.delete(id)
  return left
}

const withMore = ({ replaces, add, remove }: WantedMembers, ids: readonly string[]): WantedMembers => ({
  replaces,
  add: new Set([...add, ...ids]),
  remove: minus(remove, ids),
})

const without = ({ replaces, add, remove }: WantedMembers, ids: readonly string[]): WantedMembers => ({
  replaces,
  add: minus(add, ids),
  remove: new Set([...remove, ...ids]),
})

/** The ids of a list of members: objects with `value`, or bare texts. */
function idsIn(value: unknown): string[] {
  if (isUnassigned(value)) return []
  const members: unknown[] = Array.isArray(value) ? value : [value]
  return members.map((member) => {
    const id = isObject(member) ? member['value'] : member
    const type = isObject(member) ? member['type'] : undefined
    if (!isUnassigned(type) && !isSameName(String(type), 'User')) throw invalidValue('members', 'must be of type User')
    if (typeof id !== 'string' || id === '') throw invalidValue('members', 'must have the id of a user as value')
    return id
  })
}

/** The ids that a filter chooses: members are not loaded, so it can only name them. */
function idsChosen(filter: Filter): string[] {
  if (filter.op === 'or') return filter.filters.flatMap(idsChosen)
  if (filter.op === 'eq' && filter.keys[0] === 'value' && typeof filter.value === 'string') return [filter.value]
  throw new ScimError('invalidFilter', 'Members can only be chosen by value eq "…"')
}
