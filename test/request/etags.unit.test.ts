import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { AppError, refuse } from '../../domain/base/errors.ts'
import { changeIfMatch, etagOf, etagsIn, isNamed, readTagList, requireExpected } from '../../domain/request/etags.ts'
import { Repeated, readFirst, repetitionOf, reserveIdempotencyKey } from '../../domain/request/repetition.ts'
import type { Any } from '../harness/call.ts'
import { actionText } from '../table/written.ts'

const etag = (own: object | undefined, body: unknown = {}) => String(etagOf({ status: 200, body, own } as Any))
const own = { b: 1, a: { d: [1, { f: 2, e: 3 }], c: null } }
const same = { a: { c: null, d: [1, { e: 3, f: 2 }], x: undefined }, b: 1 }
const other = { ...own, b: 2 }

it('a tag has two hashes, which do not depend on the order of properties', () => {
  expect(etag(own)).toMatch(/^"[\w-]{16}\.[\w-]{16}"$/)
  expect(etag(same, { y: 1, x: 2 })).toBe(etag(own, { x: 2, y: 1 }))
  expect(etag(other).split('.')[0]).not.toBe(etag(own).split('.')[0])
  expect(etag(other).split('.')[1]).toBe(etag(own).split('.')[1])
  expect(etag(own, 1).split('.')).not.toEqual(etag(own, 2).split('.'))
  expect(etag({ a: [1, 2] })).not.toBe(etag({ a: [2, 1] }))
  expect(etagOf({ status: 200, body: {} })).toBeUndefined()
  const named = (text: string) => JSON.parse(`{"__proto__":${text}}`)
  expect(etag(named('1'))).not.toBe(etag(named('2')))
})

const forms: [header: string, tags: unknown][] = [
  ['*', 'any'],
  [' * ', 'any'],
  ['"a.b"', ['a.b']],
  ['W/"a.b"', ['a.b']],
  ['"a", W/"b,c" ,"*"', ['a', 'b,c', '*']],
  ['""', ['']],
  ...['', 'a', '"a', 'a"', '"a" "b"', '"a",', 'w/"a"', 'W/ "a"', '"a b"', '"a"b', '*, "a"', '"ā"'].map(
    (header): [string, unknown] => [header, undefined],
  ),
]
it.each(forms)('%j is read as %j', (header, tags) => {
  expect(readTagList(header)).toEqual(tags)
})

it('a caller has the very answer, or any', () => {
  expect(isNamed(undefined, '"a.b"')).toBe(false)
  expect(isNamed('any', '"a.b"')).toBe(true)
  expect(isNamed(['x', 'a.b'], '"a.b"')).toBe(true)
  expect(isNamed(['a.c', 'a'], '"a.b"')).toBe(false)
})

const refusalOf = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return error instanceof AppError ? error.code : error
  }
}
const known = (of: object) => ({ ifMatch: etagsIn(etag(of, 'another answer')) })
const refused = () => {
  throw refuse('ROLE_IN_USE')
}

it('a record is changed only as the caller knows it', () => {
  const after = { ...own, b: 3 }
  for (const context of [{}, { ifMatch: 'any' as const }, known(own), known(same)]) {
    expect(changeIfMatch(context, own, () => after)).toBe(after)
    expect(refusalOf(() => changeIfMatch(context, own, refused))).toBe('ROLE_IN_USE')
    expect(refusalOf(() => requireExpected(context, own))).toBeUndefined()
  }
  for (const context of [known(other), { ifMatch: [] }]) {
    expect(refusalOf(() => changeIfMatch(context, own, () => after))).toBe('PRECONDITION_FAILED')
    expect(refusalOf(() => requireExpected(context, own))).toBe('PRECONDITION_FAILED')
  }
  expect(changeIfMatch({ ifMatch: [`${etag(own).slice(1).split('.')[0]}`] }, own, () => after)).toBe(after)
  expect(changeIfMatch(known({ b: 1 }), own, () => after, { b: 1 })).toBe(after)
})

it('of an unknown version, what stays as it is succeeds, and what is refused is refused for the version', () => {
  expect(changeIfMatch(known(other), own, () => own)).toBe(own)
  expect(refusalOf(() => changeIfMatch(known(other), own, refused))).toBe('PRECONDITION_FAILED')
  const broken = new TypeError('broken')
  const fail = () => {
    throw broken
  }
  expect(refusalOf(() => changeIfMatch(known(other), own, fail))).toBe(broken)
})

describe('a key that makes a creation safe to repeat', () => {
  const now = '2026-11-22T09:00:00.000Z'
  const until = '2026-11-23T09:00:00.000Z'
  const call = { actorId: 'ada', operation: 'createRole', key: 'k', path: { id: 'p' }, body: { b: 1, a: 2 } }
  const repetition = repetitionOf(call)
  const item = { ...repetition.key, print: repetition.digest, status: 201, record: 'r', until, ttl: 1_795_424_400 }

  it('is stored as a hash of caller, endpoint and key, and of what was sent, hashed with the key', () => {
    const name = createHash('sha256').update('["ada","createRole","k"]').digest('base64url')
    expect(repetition.key).toEqual({ pk: `KEY#${name}`, sk: 'KEY' })
    const sent = '{"body":{"a":2,"b":1},"path":{"id":"p"}}'
    expect(repetition.digest).toBe(createHmac('sha256', 'k').update(sent).digest('base64url'))
  })

  it('names the record for 24 hours, if it names none yet', () => {
    const [action, ...others] = reserveIdempotencyKey({ repetition, now }, 'r')
    expect(action && actionText(action).slice(0, 3)).toEqual([
      'put',
      item,
      `if (attribute_not_exists(pk)) OR (until <= "${now}")`,
    ])
    expect([action?.busy, others]).toEqual(['IDEMPOTENCY_KEY_IN_USE', []])
    expect(reserveIdempotencyKey({ now }, 'r')).toEqual([])
  })

  it.each<[string, string, isFirst: boolean]>([
    ['its last moment', '2026-11-23T08:59:59.999Z', true],
    ['the moment that it ends', until, false],
  ])('tells of the first call until %s', async (_when, at, isFirst) => {
    const first = isFirst ? item : undefined
    expect(
      await readFirst({ get: async ({ pk }) => (pk === repetition.key.pk ? item : undefined) }, repetition, at),
    ).toEqual(first)
    expect(await readFirst({ get: async () => undefined }, repetition, at)).toBeUndefined()
    const [action] = reserveIdempotencyKey({ repetition, now: at }, 'r')
    const refusal = typeof action?.otherwise === 'function' ? action.otherwise(item) : undefined
    expect(refusal).toBeInstanceOf(Repeated)
    expect(refusal).toMatchObject({ name: 'Repeated', code: 'IDEMPOTENCY_KEY_IN_USE', first })
  })
})
