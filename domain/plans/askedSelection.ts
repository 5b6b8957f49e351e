import { hash } from 'node:crypto'
import { type CodedFault, faultAt, refuse } from '../base/errors.ts'
import { definitions } from '../people/records/attributeDefinition.ts'
import { groups } from '../people/records/group.ts'
import { roles } from '../people/records/role.ts'
import type { Context } from '../request/context.ts'
import type { KeptSelection, Selection } from './plan.ts'
import { wordsOf } from './selection.ts'

// A selection as a caller sends it: what is wrong with it, and what a plan keeps of it. `at` is its property in the body.

/** A selection without ids, and the ids. */
export function keptSelection({ user_ids, ...others }: Selection): { kept: KeptSelection; ids?: string[] } {
  if (!user_ids) return { kept: others }
  const kept = { ...others, user_ids: { count: user_ids.length, sha256: hash('sha256', JSON.stringify(user_ids)) } }
  return { kept, ids: user_ids }
}

const fault = (property: string, message: string): CodedFault => faultAt('VALIDATION_ERROR', property, message)

/** Filters that need another one beside them. */
const pairs = [
  ['attribute_technical_name', 'attribute_value'],
  ['attribute_value', 'attribute_technical_name'],
  ['role_id', 'user_group_id'],
] as const

/** Faults that the schema cannot name: what goes together, and what is missing. A blank search is one: it must not mean all users. */
export function faultsOfSelection(select: Selection, at: string): CodedFault[] {
  const named = Object.keys(select)
  const isWhole = select.all !== undefined || select.user_ids !== undefined
  const lone = pairs.filter(([one, other]) => select[one] !== undefined && select[other] === undefined)
  return [
    ...(named.length === 0 ? [fault(at, 'must say which users: by all, user_ids or filters')] : []),
    ...(isWhole && named.length > 1 ? [fault(at, 'must have nothing beside all or user_ids')] : []),
    ...lone.map(([one, other]) => fault(`${at}.${other}`, `must be given together with ${one}`)),
    ...(select.search_term !== undefined && wordsOf(select).length === 0
      ? [fault(`${at}.search_term`, 'must have a word')]
      : []),
  ]
}

/** Refuses a selection that names records that do not exist: a misspelt id would silently match nobody. */
export async function requireKnown(
  { store }: Context,
  { user_group_id, role_id, attribute_technical_name: name }: Selection,
  at: string,
): Promise<void> {
  const [group, role, definition] = await Promise.all([
    user_group_id === undefined ? true : groups.read(store, user_group_id),
    role_id === undefined ? true : roles.read(store, role_id),
    name === undefined ? true : definitions.read(store, name),
  ])
  if (!group) throw refuse('UNKNOWN_USER_GROUP_ID', `${at}.user_group_id`)
  if (!role) throw refuse('ROLE_DOES_NOT_EXIST', `${at}.role_id`)
  if (!definition) throw refuse('NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND', `${at}.attribute_technical_name`)
}
