import { describe, expect, it, test } from 'vitest'
import { asRecord, isGiven, isObject, isReference } from '../../domain/base/values.ts'
import { damagedAt, trimmed } from '../../domain/request/bodies.ts'
import { faultMessage, namedBy, partsOf } from '../../domain/request/faults.ts'
import { changedOrSame, mergePatch } from '../../domain/request/patch.ts'
import { namedIds, requireAll } from '../../domain/tasks/namedIds.ts'
import { refusal } from '../harness/refusal.ts'

describe('a fault of the form', () => {
  it.each<[string, object, string]>([
    ['additionalProperties', {}, 'must be a known property'],
    ['required', {}, 'must be given'],
    ['dependentRequired', { property: 'a' }, 'must be given together with a'],
    ['enum', { allowedValues: ['A', 1] }, 'must be one of A, 1'],
    ['pattern', {}, 'must have an allowed form'],
    ['not', {}, 'must not be a reserved word'],
    ['type', { type: 'string,null,array' }, 'must be string or null or array'],
    ['format', { format: 'visible' }, 'must have a character that can be seen'],
    ['format', { format: 'idn-email' }, 'must be an e-mail address, with up to 64 characters before the @'],
    ['format', { format: 'other' }, 'must have an allowed form'],
    ['minLength', { limit: 1 }, 'must have at least 1 character'],
    ['maxLength', { limit: 2 }, 'must have at most 2 characters'],
    ['minItems', { limit: 3 }, 'must have at least 3 items'],
    ['maxItems', { limit: 4 }, 'must have at most 4 items'],
    ['minimum', { limit: 5 }, 'must be >= 5'],
    ['maximum', { limit: 6 }, 'must be <= 6'],
    ['uniqueItems', {}, 'must not have an item twice'],
    ['other', {}, 'must be valid'],
  ])('%s %j: %s', (keyword, params, message) => {
    expect(faultMessage({ keyword, params: params as Record<string, unknown> })).toBe(message)
  })

  it.each<[string, string | undefined]>([
    ['required', 'm'],
    ['dependentRequired', 'm'],
    ['additionalProperties', 'a'],
    ['type', undefined],
  ])('%s is reported for %s', (keyword, property) => {
    expect(namedBy(keyword, { missingProperty: 'm', additionalProperty: 'a' })).toBe(property)
  })

  it.each<[string, string[]]>([
    ['', []],
    ['/attributes/3/value', ['attributes', '3', 'value']],
    ['/a~1b/~01~0', ['a/b', '~1~']],
  ])('at %j is one of the property %j', (pointer, parts) => {
    expect(partsOf(pointer)).toEqual(parts)
  })
})

it.each<[unknown, string[]]>([
  ['a', []],
  ['a\ufffd', ['']],
  [null, []],
  [{ a: ['x', { b: '\ufffd' }], c: '\ufffd', d: 5 }, ['c', 'a.1.b']],
  [{ 'k\ufffd': 1 }, ['k\ufffd']],
  [{ ['x'.repeat(300)]: '\ufffd' }, ['x'.repeat(200)]],
])('in %j texts are damaged at %j', (value, places) => {
  expect(damagedAt(value)).toEqual(places)
})

it.each<[unknown, unknown]>([
  [
    { name: ' a ', other: ' b ' },
    { name: 'a', other: ' b ' },
  ],
  [{ name: [{ text: ' a ', language: ' l ' }, ' b ', null] }, { name: [{ text: 'a', language: ' l ' }, ' b ', null] }],
  [
    { name: 5, title: ' t' },
    { name: 5, title: 't' },
  ],
])('texts of %j are trimmed: %j', (record, expected) => {
  expect(trimmed(record, ['name', 'title'])).toEqual(expected)
})

it.each([{ name: 'a', other: ' b ' }, {}, null, 'name', ' x ', [' x ']])('%j has nothing to trim', (record) => {
  expect(trimmed(record, ['name', '0'])).toBe(record)
})

it.each<[unknown, object: boolean, given: boolean, reference: boolean]>([
  [{}, true, true, false],
  [[], false, true, false],
  [null, false, false, false],
  [undefined, false, false, false],
  [5, false, true, false],
  ['', false, true, false],
  ['a', false, true, true],
  ['\ud83d', false, true, false],
  ['😀'.repeat(255), false, true, true],
  ['a'.repeat(256), false, true, false],
])('%j: an object %s, given %s, a reference %s', (value, ...expected) => {
  expect([isObject(value), isGiven(value), isReference(value)]).toEqual(expected)
  expect(asRecord(value)).toBe(expected[0] ? value : undefined)
})

describe('records that a request names', () => {
  const named = namedIds('ids', ['a', 'b', { id: 'A' }, { id: 'c' }, 'b'])
  const none = { code: 'UNKNOWN_USER_GROUP_ID', message: 'names none' } as const

  it('are named by their first place', () => {
    const first = { a: 'ids.0', b: 'ids.1' }
    expect(Object.fromEntries(named)).toEqual({ ...first, A: 'ids.2.id', c: 'ids.3.id' })
    const oneSpelling = namedIds('ids', ['a', 'b', { id: 'A' }, { id: 'C' }], (id) => id.toLowerCase())
    expect(Object.fromEntries(oneSpelling)).toEqual({ ...first, c: 'ids.3.id' })
  })

  it('are all there, or the missing ones are named', () => {
    expect(requireAll(named, [1, 2, 3, 4], none)).toEqual([1, 2, 3, 4])
    expect(refusal(() => requireAll(named, [1, undefined, 3], none))).toEqual({
      code: none.code,
      property: 'ids.1',
      message: 'ids.1 names none',
    })
    const messages = ['ids.1', 'ids.3.id'].map((property) => ({ property, message: 'names none' }))
    expect(() => requireAll(named, [1, undefined, 3], none)).toThrow(expect.objectContaining({ errors: messages }))
  })
})

type Settings = { name: string; note: string | null; days: string[]; hours: { start: string; end: string }; id: string }

const settings: Settings = { name: 'n', note: 'x', days: ['MON', 'TUE'], hours: { start: '8', end: '16' }, id: 'i' }
const cleared = { name: undefined, note: null, days: ['MON'], hours: { start: '9', end: '17' } }
const patched = (patch: unknown) => mergePatch(settings, patch, cleared)

test('takes what the patch says and keeps the rest', () => {
  expect(patched({ name: 'm', note: undefined })).toEqual({ ...settings, name: 'm' })
})

test('null brings back the default of a field', () => {
  expect(patched({ note: null, days: null })).toEqual({ ...settings, note: null, days: ['MON'] })
})

test('null removes a field that has no such value', () => {
  expect(Object.keys(patched({ name: null }))).toEqual(['note', 'days', 'hours', 'id'])
})

test('an object is patched field by field where the default is one', () => {
  expect(patched({ hours: { end: '18' } }).hours).toEqual({ start: '8', end: '18' })
  expect(patched({ hours: { start: null } }).hours).toEqual({ start: '9', end: '16' })
  expect(patched({ hours: null }).hours).toEqual({ start: '9', end: '17' })
  expect(patched({ hours: { other: 1 } })).toBe(settings)
})

test('an object takes the place of any other value, and arrays are replaced', () => {
  expect(patched({ note: { a: null }, days: [] })).toEqual({ ...settings, note: { a: null }, days: [] })
})

test('a faulty value is in the outcome, to be judged', () => {
  expect(patched({ hours: 5 }).hours).toBe(5)
  expect(patched('text')).toBe(settings)
  expect(patched([1])).toBe(settings)
  expect(patched(null)).toBe(settings)
})

test('fields that cannot change are ignored', () => {
  expect(patched({ id: 'j', other: 1 })).toBe(settings)
})

test('is the very same object where nothing changes', () => {
  expect(patched({})).toBe(settings)
  expect(patched({ name: 'n', days: ['MON', 'TUE'], hours: { start: '8' } })).toBe(settings)
})

test('changes neither the record nor the patch', () => {
  const patch = { hours: { end: '18' } }
  patched(patch)
  expect(settings.hours).toEqual({ start: '8', end: '16' })
  expect(patch).toEqual({ hours: { end: '18' } })
})

test('without defaults it is RFC 7396 as its appendix has it', () => {
  const cases: [object, unknown, object][] = [
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 'b' }, { a: { c: null, d: 1 } }, { a: { d: 1 } }],
  ]
  for (const [target, patch, outcome] of cases) expect(mergePatch(target, patch)).toEqual(outcome)
})

test('a name that means something to JavaScript is a name like any other', () => {
  const patch = JSON.parse('{"__proto__": {"a": 1}, "constructor": {"b": 2}}')
  const outcome = mergePatch({}, patch)
  expect(JSON.stringify(outcome)).toBe('{"__proto__":{"a":1},"constructor":{"b":2}}')
  expect(Object.getPrototypeOf(outcome)).toBe(Object.prototype)
  expect(JSON.stringify(mergePatch(outcome, JSON.parse('{"__proto__": {"a": null}}')))).toBe(
    '{"__proto__":{},"constructor":{"b":2}}',
  )
  expect(mergePatch(settings, JSON.parse('{"__proto__": {"name": "m"}}'), cleared)).toBe(settings)
})

test('stamps come with a change only', () => {
  const stamps = { id: 'j' }
  expect(changedOrSame(settings, { ...settings }, stamps)).toBe(settings)
  expect(changedOrSame(settings, { ...settings, name: 'm' }, stamps)).toEqual({ ...settings, name: 'm', id: 'j' })
})
