import { isObject } from '../base/values.ts'
import type { Filter } from './filter.ts'
import type { PatchStep } from './patch.ts'
import { isUnassigned, textOf } from './resource.ts'
import { isSameName } from './schema.ts'
import { invalidValue, ScimError } from './scimError.ts'

// The changes of a group's members that a request asks for. The present members are not loaded: operations become two sets of
// users, to add and to remove.

/** Users to add and to remove, by id. `replaces`: all members who are not added are removed. */
export type WantedMembers = { replaces: boolean; add: ReadonlySet<string>; remove: ReadonlySet<string> }

export const noMembers: WantedMembers = { replaces: false, add: new Set(), remove: new Set() }

/** The members of a resource in POST and PUT; undefined if it has no `members`. */
export function membersIn(value: unknown): WantedMembers | undefined {
  if (value === undefined) return undefined
  return { replaces: true, add: new Set(idsIn(value)), remove: new Set() }
}

/** The result of several operations on `members`, in their order. */
export function membersAfter(steps: readonly PatchStep[]): WantedMembers {
  const wanted = { replaces: false, add: new Set<string>(), remove: new Set<string>() }
  for (const step of steps) {
    const { isOfAll, isAdded, ids } = memberStep(step)
    if (isOfAll) {
      wanted.replaces = true
      wanted.add.clear()
      wanted.remove.clear()
    }
    const [into, outOf] = isAdded ? [wanted.add, wanted.remove] : [wanted.remove, wanted.add]
    for (const id of ids) {
      into.add(id)
      outOf.delete(id)
    }
  }
  return wanted
}

/** The users that an operation adds or removes. `isOfAll`: it first removes all members. */
type MemberStep = { isOfAll?: boolean; isAdded: boolean; ids: readonly string[] }

function memberStep({ op, path, value }: PatchStep): MemberStep {
  const isOfMember = path.filter ? op !== 'remove' || path.sub : path.keys.length > 1 && path.keys[1] !== 'value'
  if (isOfMember) throw new ScimError('mutability', 'A member cannot be changed: add or remove it')
  if (path.filter) return { isAdded: false, ids: idsChosen(path.filter) }
  if (op === 'remove') return { isOfAll: isUnassigned(value), isAdded: false, ids: idsIn(value) }
  return { isOfAll: op === 'replace', isAdded: true, ids: idsIn(value) }
}

/** The ids of a list of members: objects with `value`, or bare texts. */
function idsIn(value: unknown): string[] {
  if (isUnassigned(value)) return []
  const members: unknown[] = Array.isArray(value) ? value : [value]
  return members.map((member) => {
    const id = isObject(member) ? member['value'] : member
    const type = isObject(member) ? textOf(member['type'], 'members.type') : undefined
    if (type !== undefined && !isSameName(type, 'User')) throw invalidValue('members', 'must be of type User')
    if (typeof id !== 'string' || id === '') throw invalidValue('members', 'must have the id of a user as value')
    return id
  })
}

/** The ids that a filter chooses. Members are not loaded, so it can only compare `value` with ids. */
function idsChosen(filter: Filter): string[] {
  if (filter.op === 'or') return filter.filters.flatMap(idsChosen)
  if (filter.op === 'eq' && filter.keys[0] === 'value' && typeof filter.value === 'string') return [filter.value]
  throw new ScimError('invalidFilter', 'Members can only be chosen by value eq "…"')
}
