import { isDeepStrictEqual } from 'node:util'
import type { ErrorCode } from '../../../schemas/errors.ts'
import { type CodedFault, errorOf, faultAt, requireNone } from '../../base/errors.ts'
import { asRecord, isGiven, isReference } from '../../base/values.ts'
import type { Context, MoreFaults } from '../../request/context.ts'
import { type AttributeDefinition, definitions } from '../records/attributeDefinition.ts'
import type { Editions } from '../records/attributes.ts'
import { type Group, groups } from '../records/group.ts'
import { type Role, roles } from '../records/role.ts'
import { readUser } from '../records/user.ts'
import type { GroupAndRole } from './groupAndRole.ts'
import { attributeIn, type Operator } from './matching.ts'
import { type Rule, rules } from './rule.ts'

// Faults of a rule's body that the schema cannot find: of its conditions, and of the records that it names. A body may have any
// form, as these faults are also listed for a body that the schema has refused.

const withoutValues: ReadonlySet<unknown> = new Set<Operator>(['IS_SET', 'IS_NOT_SET'])

/** Fields with only some of the operators. A name that becomes free must not give a role to the next user who takes it. */
const operatorsOf: ReadonlyMap<string, readonly Operator[]> = new Map([
  ['ROLE', ['EQUALS', 'NOT_EQUALS']],
  ['PRIMARY_USER_GROUP', ['EQUALS', 'NOT_EQUALS']],
  ['USERNAME', ['STARTS_WITH', 'IS_SET', 'IS_NOT_SET']],
  ['EXTERNAL_ID', ['STARTS_WITH', 'IS_SET', 'IS_NOT_SET']],
  ['PREFERRED_LANGUAGE', ['EQUALS', 'NOT_EQUALS', 'IS_SET', 'IS_NOT_SET']],
])

/** A condition of a body; `at` is its path. */
type SentCondition = { field: string; operator: unknown; values: unknown; at: string }

/** The conditions of a body whose fields can be read. */
const conditionsIn = (conditions: unknown): SentCondition[] =>
  listIn(conditions).flatMap((one, index) => {
    const { field, operator, values } = asRecord(one) ?? {}
    return typeof field === 'string' ? [{ field, operator, values, at: `conditions.${index}` }] : []
  })

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, LONGEST_LIST) : [])
/** The schema refuses longer lists. */
const LONGEST_LIST = 100

const invalid = (property: string, message: string): CodedFault => faultAt('VALIDATION_ERROR', property, message)

/** The faults of conditions that need no record to be read. */
export const conditionFaults = (conditions: unknown): CodedFault[] =>
  conditionsIn(conditions).flatMap((one) => [...operatorFaults(one), ...valueFaults(one)])

function operatorFaults({ field, operator, at }: SentCondition): CodedFault[] {
  const allowed = operatorsOf.get(field)
  if (!allowed || typeof operator !== 'string' || allowed.some((one) => one === operator)) return []
  return [invalid(`${at}.operator`, `must be one of ${allowed.join(', ')} for ${field}`)]
}

function valueFaults({ field, operator, values, at }: SentCondition): CodedFault[] {
  if (typeof operator !== 'string') return []
  const list = listIn(values)
  if (withoutValues.has(operator))
    return list.length > 0 ? [invalid(`${at}.values`, `must be left out with ${operator}`)] : []
  if (values === undefined || values === null) return [invalid(`${at}.values`, 'must be given')]
  if (Array.isArray(values) && list.length === 0) return [invalid(`${at}.values`, 'must have at least 1 item')]
  const refusal = refusedValues.get(field)
  if (!refusal) return []
  return list.flatMap((value, index) =>
    typeof value === 'string' && refusal.isRefused(value) ? [invalid(`${at}.values.${index}`, refusal.message)] : [],
  )
}

const refusedValues: ReadonlyMap<string, { isRefused: (value: string) => boolean; message: string }> = new Map([
  ['ROLE', { isRefused: (value) => value !== 'USER' && value !== 'ADMIN', message: 'must be one of USER, ADMIN' }],
  // Such a value would never match.
  ['EMAIL_DOMAIN', { isRefused: (value) => value.includes('@'), message: 'must be a host, without an @' }],
])

/**
 * The group and the role that a body names, the editions of the attribute definitions that its conditions name, and all faults
 * of the body.
 */
type NamedInRule = Partial<GroupAndRole> & { editions: Editions; faults: CodedFault[] }

/** Reads the records that a body names. */
export async function readNamed(context: Reader, body: unknown): Promise<NamedInRule> {
  const { user_group_id, role_id, conditions, except_user_ids } = asRecord(body) ?? {}
  const named = [...namedInConditions(context, conditions), ...exceptedUsers(context, except_user_ids)]
  const [group, role, ...found] = await Promise.all([
    isReference(user_group_id) ? groups.read(context.store, user_group_id) : undefined,
    isReference(role_id) ? roles.read(context.store, role_id) : undefined,
    ...named.map((one) => one.found),
  ])
  const missing = named.filter((_, nth) => found[nth] === undefined)
  const faults = [
    ...conditionFaults(conditions),
    ...missing.map(({ code, at, message }) => faultAt(code, at, message)),
    ...(isReference(user_group_id) ? groupFaults(group) : []),
    ...(isReference(role_id) ? roleFaults(role) : []),
  ]
  const editions = new Map(
    named.flatMap(({ attribute }, nth) =>
      attribute === undefined ? [] : [[attribute, (found[nth] as AttributeDefinition | undefined)?.edition]],
    ),
  )
  return { ...(group && { group }), ...(role && { role }), editions, faults }
}

/** The group and the role of a new rule. Throws the faults of its body. The schema requires both. */
export function requireGroupAndRole({ group, role, faults }: NamedInRule): GroupAndRole {
  requireNone(faults)
  return { group, role } as GroupAndRole
}

type Reader = Pick<Context, 'store' | 'now'>

/** A record that a body names at a path; its fault if it does not exist; the name if it is an attribute definition. */
type Named = { at: string; code: ErrorCode; message: string; found: Promise<object | undefined>; attribute?: string }

function namedInConditions({ store }: Reader, conditions: unknown): Named[] {
  return conditionsIn(conditions).flatMap(({ field, values, at }): Named[] => {
    const attribute = attributeIn(field)
    if (isReference(attribute)) {
      const message = 'must name an attribute definition'
      const found = definitions.read(store, attribute)
      return [{ at: `${at}.field`, code: 'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND', message, found, attribute }]
    }
    if (field !== 'PRIMARY_USER_GROUP') return []
    return references(values).map(({ id, nth }) => ({
      at: `${at}.values.${nth}`,
      code: 'UNKNOWN_USER_GROUP_ID',
      message: 'must name a user group',
      found: groups.read(store, id),
    }))
  })
}

const exceptedUsers = ({ store, now }: Reader, ids: unknown): Named[] =>
  references(ids).map(({ id, nth }) => ({
    at: `except_user_ids.${nth}`,
    code: 'UNKNOWN_USER_ID',
    message: 'must name a user',
    found: readUser(store, id, now),
  }))

/** The items of a list that have the form of an id. */
const references = (list: unknown): { id: string; nth: number }[] =>
  listIn(list).flatMap((id, nth) => (isReference(id) ? [{ id, nth }] : []))

/** The faults of a rule's group; undefined for a group that does not exist. */
export function groupFaults(group: Pick<Group, 'type'> | undefined): CodedFault[] {
  if (!group) return [faultAt('UNKNOWN_USER_GROUP_ID', 'user_group_id', 'must name a user group')]
  if (group.type === 'CUSTOM') return []
  return [faultAt('INVALID_USER_GROUP', 'user_group_id', 'must not be the root or the group of all users')]
}

/** The faults of a rule's role; undefined for a role that does not exist. */
export function roleFaults(role: Pick<Role, 'scope'> | undefined): CodedFault[] {
  if (!role) return [faultAt('ROLE_DOES_NOT_EXIST', 'role_id', 'must name a role')]
  if (role.scope === 'USER_GROUPS') return []
  return [faultAt('ROLE_HAS_WRONG_PERMISSION_SCOPE', 'role_id', 'must name a role with the scope USER_GROUPS')]
}

/** Finds more faults in a body that the schema has refused. */
export const wrongInRule: MoreFaults = async (context, body) => errorOf((await readNamed(context, body)).faults)

/** The parts of a patch that name records. Unchanged conditions are not checked again: a group may be deleted by now. */
export function namedByPatch(body: unknown, before: Rule | undefined) {
  const { conditions, except_user_ids } = asRecord(body) ?? {}
  const isKept = isDeepStrictEqual(conditions, before?.conditions)
  return { conditions: isKept ? undefined : conditions, except_user_ids }
}

/** The same for a patch. */
export const wrongInPatch: MoreFaults = async (context, body, { rule_id }) => {
  const before = isReference(rule_id) ? await rules.read(context.store, rule_id) : undefined
  return errorOf((await readNamed(context, namedByPatch(body, before))).faults)
}

/** The faults of the body of a preview. It must have both group and role, or neither. */
export async function previewFaults(context: Reader, body: unknown): Promise<CodedFault[]> {
  const { user_group_id, role_id } = asRecord(body) ?? {}
  const { faults } = await readNamed(context, body)
  if (isGiven(user_group_id) === isGiven(role_id)) return faults
  const [missing, other] = isGiven(user_group_id) ? ['role_id', 'user_group_id'] : ['user_group_id', 'role_id']
  return [...faults, invalid(missing, `must be given together with ${other}`)]
}

/** The same for the body of a preview. */
export const wrongInPreview: MoreFaults = async (context, body) => errorOf(await previewFaults(context, body))
