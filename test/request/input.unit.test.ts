import { expect, test } from 'vitest'
import { changedOrSame, mergePatch } from '../../domain/request/input.ts'

type Settings = { name: string; note: string | null; days: string[]; hours: { start: string; end: string }; id: string }

const settings: Settings = { name: 'n', note: 'x', days: ['MON', 'TUE'], hours: { start: '8', end: '16' }, id: 'i' }
const cleared = { name: undefined, note: null, days: ['MON'], hours: { start: '9', end: '17' } }
const patched = (patch: unknown) => mergePatch(settings, patch, cleared)

test('takes what the patch says and keeps the rest', () => {
  expect(patched({ name: 'm', note: undefined })).toEqual({ ...settings, name: 'm' })
})

test('null brings back what the field is when nobody has set it', () => {
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

test('a faulty value stands in the outcome, to be judged', () => {
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

test('marks come with a change only', () => {
  const marks = { id: 'j' }
  expect(changedOrSame(settings, { ...settings }, marks)).toBe(settings)
  expect(changedOrSame(settings, { ...settings, name: 'm' }, marks)).toEqual({ ...settings, name: 'm', id: 'j' })
})
