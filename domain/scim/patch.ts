import { isObject } from '../base/values.ts'
import { type Filter, matches, type Path, parsePath } from './filter.ts'
import {
  canonicalElement,
  canonicalValue,
  checkSchemas,
  isUnassigned,
  propertyOf,
  type Resource,
  textOf,
  valueAt,
} from './resource.ts'
import { isSameName, type ResourceSchema, type ScimAttribute, targetOf } from './schema.ts'
import { invalidValue, ScimError } from './scimError.ts'

// PATCH of RFC 7644, section 3.5.2: operations change a resource in memory, one after the other. mapping.ts then gets the values
// from the result, as it does for PUT, so a value has the same meaning in both.

type PatchOperation = { op: 'add' | 'replace' | 'remove'; path: string | undefined; value: unknown }

const invalidSyntax = (detail: string): ScimError => new ScimError('invalidSyntax', detail)

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
/** The most operations of a request: each of them looks at the whole resource. */
const MOST_OPERATIONS = 1000

/** The operations of a body. Throws `invalidSyntax` where the body has another form, `invalidValue` where a value is missing. */
export function operationsIn(body: Resource): PatchOperation[] {
  checkSchemas(body, [PATCH_OP])
  const operations = propertyOf(body, 'Operations')
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalidSyntax('Operations must be a list with at least one operation')
  if (operations.length > MOST_OPERATIONS)
    throw new ScimError('tooMany', `A request can have ${MOST_OPERATIONS} operations at most`)
  return operations.map(operationOf)
}

function operationOf(sent: unknown, n: number): PatchOperation {
  if (!isObject(sent)) throw invalidSyntax(`Operations.${n} must be an object`)
  const [op, path, value] = ['op', 'path', 'value'].map((name) => propertyOf(sent, name))
  const operator = operators.find((name) => typeof op === 'string' && isSameName(name, op))
  if (!operator) throw invalidSyntax(`Operations.${n}.op must be add, replace or remove`)
  if (!isUnassigned(path) && typeof path !== 'string') throw invalidSyntax(`Operations.${n}.path must be a text`)
  // A missing value is a mistake, not a wish to clear something: null says that.
  if (operator !== 'remove' && value === undefined)
    throw invalidValue(`Operations.${n}.value`, `must be given: ${operator} needs a value, and null clears`)
  return { op: operator, path: typeof path === 'string' && path !== '' ? path : undefined, value }
}

const operators = ['add', 'replace', 'remove'] as const

/** One operation on one attribute, or on elements of a list. */
export type PatchStep = { op: PatchOperation['op']; path: Path; value: unknown }

/**
 * The steps of an operation. Without a path, or with that of an extension, there is a step for each property of its value;
 * properties that the schema does not have or that are read-only are ignored, as in other bodies. Throws `invalidPath`, `noTarget`,
 * and `mutability` for the path of a read-only attribute.
 */
export function stepsOf({ op, path, value }: PatchOperation, schema: ResourceSchema): PatchStep[] {
  if (path === undefined && op === 'remove') throw new ScimError('noTarget', 'remove needs a path')
  const target = path === undefined ? undefined : parsePath(path, schema)
  if (readOnly.has(target?.keys[0] ?? ''))
    throw new ScimError('mutability', `${target?.keys.join('.')} is read-only: it cannot be changed`)
  if (target?.attribute) return [{ op, path: target, value }]
  if (op === 'remove') throw new ScimError('noTarget', 'remove needs the path of an attribute')
  if (!isObject(value)) throw invalidSyntax('An operation without a path needs an object as value')
  const [urn] = target?.keys ?? []
  return Object.entries(value).flatMap(([name, one]) =>
    propertySteps({ op, name: urn ? `${urn}:${name}` : name, one }, schema),
  )
}

type Property = { op: PatchOperation['op']; name: string; one: unknown }

/** The steps of a property of a value. Its name is a path, such as `name.givenName`, or an extension. */
function propertySteps({ op, name, one }: Property, schema: ResourceSchema): PatchStep[] {
  if (!name.includes('[')) {
    const target = targetOf(name, schema)
    if (!target) return []
    return target.attribute ? [{ op, path: target, value: one }] : stepsOf({ op, path: name, value: one ?? {} }, schema)
  }
  try {
    return [{ op, path: parsePath(name, schema), value: one }]
  } catch (error) {
    if (error instanceof ScimError) return []
    throw error
  }
}

const readOnly = new Set(['schemas', 'id', 'meta', 'groups'])

/** The resource after the steps. Attributes that are read-only stay. Throws `mutability` if one that must stay is removed. */
export function patched(resource: Resource, steps: readonly PatchStep[], schema: ResourceSchema): Resource {
  const after = steps
    .filter(({ path }) => !readOnly.has(path.keys[0] ?? ''))
    .reduce((before, step) => afterStep(before, step), resource)
  for (const [path, necessity] of schema.lasting)
    if (isUnassigned(valueAt(after, path))) checkGone(path, necessity, steps)
  return after
}

/** Judges that an attribute which each resource has is missing after the steps, by the last step that concerns it. */
function checkGone(path: readonly string[], necessity: 'required' | 'kept', steps: readonly PatchStep[]): void {
  const last = steps.findLast(({ path: { keys } }) => path.every((name, n) => (keys[n] ?? name) === name))
  const name = path.join(path.length > 1 && path[0]?.startsWith('urn:') ? ':' : '.')
  if (necessity === 'required' && last?.value === '') throw invalidValue(name, 'must not be empty')
  if (last && (necessity === 'required' || last.op === 'remove'))
    throw new ScimError('mutability', `${name} cannot be removed`)
}

function afterStep(resource: Resource, { op, path, value }: PatchStep): Resource {
  const { keys, attribute, parent, filter, sub } = path
  const to = op === 'remove' ? undefined : value
  if (filter && attribute)
    return changeAt(resource, keys, (list) => inElements(listOf(list), { attribute, filter, sub }, to))
  if (parent?.multiValued)
    return changeAt(resource, keys.slice(0, -1), (list) =>
      inElements(listOf(list), { attribute: parent, sub: attribute }, to),
    )
  if (!attribute) return resource
  const change = attribute.multiValued ? changedList : attribute.sub ? changedComplex : changedSimple
  return changeAt(resource, keys, (before) => change(before, attribute, { op, value }))
}

/** Each operation looks at all elements of a list, so long lists would take too much time. */
const MOST_ELEMENTS = 100

/** A resource with another value at these names; without it, if it is undefined. */
function changeAt(
  resource: Resource,
  [key = '', ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): Resource {
  const { [key]: before, ...others } = resource
  const inner = isObject(before) ? before : {}
  const after = rest.length > 0 ? changeAt(inner, rest, change) : change(before)
  if (Array.isArray(after) && after.length > MOST_ELEMENTS)
    throw invalidValue(key, `must have at most ${MOST_ELEMENTS} elements`)
  const isGone = isUnassigned(after) || (rest.length > 0 && isObject(after) && Object.keys(after).length === 0)
  return isGone ? others : { ...others, [key]: after }
}

type ValueChange = Pick<PatchOperation, 'op' | 'value'>

const changedSimple = (_before: unknown, attribute: ScimAttribute, { op, value }: ValueChange): unknown =>
  op === 'remove' ? undefined : canonicalValue(value, attribute)

/** A complex value keeps the sub-attributes that the new value does not name. Null removes a sub-attribute. */
function changedComplex(before: unknown, attribute: ScimAttribute, { op, value }: ValueChange): unknown {
  if (op === 'remove' || isUnassigned(value)) return undefined
  if (!isObject(value)) return canonicalValue(value, attribute)
  const cleared = (attribute.sub ?? []).filter(({ name }) => propertyOf(value, name) === null).map(({ name }) => name)
  const after = { ...(isObject(before) ? before : {}), ...(canonicalElement(value, attribute) as Resource) }
  return Object.fromEntries(Object.entries(after).filter(([name]) => !cleared.includes(name)))
}

/** `add` appends elements, `replace` replaces all of them, `remove` with a value removes those elements only. */
function changedList(before: unknown, attribute: ScimAttribute, { op, value }: ValueChange): unknown {
  const had = listOf(before)
  const sent = isUnassigned(value) ? [] : (canonicalValue(value, attribute) as unknown[])
  if (op === 'replace') return sent
  if (op === 'remove') {
    const nameIn = (element: unknown) => textOf(valueIn(element), attribute.name)
    const gone = new Set(sent.map(nameIn))
    return sent.length === 0 ? [] : had.filter((one) => !gone.has(nameIn(one)))
  }
  const present = new Set(had.map((one) => JSON.stringify(one)))
  const more = sent.filter((one) => !present.has(JSON.stringify(one)))
  return [...(more.some(isPrimary) ? had.map(notPrimary) : had), ...more]
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const valueIn = (element: unknown): unknown => (isObject(element) ? element['value'] : element)
const isPrimary = (element: unknown): boolean => isObject(element) && element['primary'] === true
const notPrimary = (element: unknown): unknown =>
  isPrimary(element) ? { ...(element as Resource), primary: false } : element

type Chosen = { attribute: ScimAttribute; filter?: Filter | undefined; sub?: ScimAttribute | undefined }

/**
 * A list with changed elements: those that the filter chooses, or without them if the value is undefined. If it chooses none, an
 * element is added that matches it: clients send `emails[type eq "work"].value` for a user without an address.
 */
function inElements(list: readonly unknown[], { attribute, filter, sub }: Chosen, value: unknown): unknown[] {
  const isChosen = (one: unknown): boolean => isObject(one) && (!filter || matches(filter, one))
  const change = (element: Resource): Resource => changedElement(element, { attribute, sub }, value)
  if (value === undefined && !sub) return list.filter((one) => !isChosen(one))
  if (list.some(isChosen)) return list.map((one) => (isChosen(one) ? change(one as Resource) : one)).filter(hasContent)
  return isUnassigned(value) ? [...list] : [...list, change(filter ? elementFor(filter) : {})]
}

/** Whether an element has more than a type, a display name or a flag. Elements without a value are removed. */
const hasContent = (element: unknown): boolean =>
  !isObject(element) || Object.keys(element).some((name) => !['type', 'primary', 'display'].includes(name))

function changedElement(element: Resource, { attribute, sub }: Chosen, value: unknown): Resource {
  if (!sub) return { ...element, ...objectOf(canonicalElement(value, attribute), attribute) }
  const { [sub.name]: _before, ...others } = element
  return isUnassigned(value) ? others : { ...others, [sub.name]: canonicalValue(value, sub) }
}

function objectOf(value: unknown, { name }: ScimAttribute): Resource {
  if (isUnassigned(value)) return {}
  if (isObject(value)) return value
  throw invalidValue(name, 'must have objects')
}

/** The element that matches a filter of `eq` clauses. Throws `noTarget` for other filters. */
function elementFor(filter: Filter): Resource {
  if (filter.op === 'and') return Object.assign({}, ...filter.filters.map(elementFor))
  if (filter.op === 'eq' && filter.value !== null) return { [filter.keys[0] ?? '']: filter.value }
  throw new ScimError('noTarget', 'No element passes the filter of the path')
}
