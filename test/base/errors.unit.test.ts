import { describe, expect, it } from 'vitest'
import {
  AppError,
  combineRefusals,
  errorOf,
  type Fault,
  faultAt,
  isStoreDown,
  problemOf,
  refuse,
  refuseFault,
  StaleRead,
  StoreBusy,
  StoreUnreachable,
  traceOf,
} from '../../domain/base/errors.ts'

const fault = (property: string, message = 'must be good'): Fault => ({ property, message })

describe('a refusal', () => {
  it('has the text of its code, or another detail', () => {
    const known = refuse('ROLE_NOT_FOUND', 'role_id')
    expect(known).toMatchObject({ name: 'AppError', code: 'ROLE_NOT_FOUND', property: 'role_id', detail: undefined })
    expect(known.message).not.toBe('')
    expect(known.cause).toBeUndefined()
    expect('cause' in known).toBe(false)
    expect(refuse('ROLE_NOT_FOUND', 'role_id', 'Another text')).toMatchObject({
      message: 'Another text',
      detail: 'Another text',
    })
  })

  it('of the store says why, and whether others would fail, too', () => {
    const busy = new StoreBusy({ cause: 'Throttling' })
    const down = new StoreUnreachable('ECONNRESET', true)
    expect(busy).toMatchObject({ name: 'StoreBusy', code: 'SERVICE_UNAVAILABLE', cause: 'Throttling' })
    expect(new StoreBusy().cause).toBeUndefined()
    expect(down).toMatchObject({ name: 'StoreUnreachable', cause: 'ECONNRESET', mayBeDone: true })
    expect(new StoreUnreachable('x').mayBeDone).toBe(false)
    expect([busy, down, new StaleRead(), refuse('ROLE_NOT_FOUND')].map(isStoreDown)).toEqual([true, true, false, false])
    expect(new StaleRead().name).toBe('StaleRead')
  })
})

describe('what a log may show of an error', () => {
  it('of a refusal: its code, and its cause if it has one', () => {
    expect(traceOf(refuse('ROLE_NOT_FOUND'))).toEqual({ fault: 'AppError', error_code: 'ROLE_NOT_FOUND' })
    expect(traceOf(new StoreBusy({ cause: 'Throttling' }))).toEqual({
      fault: 'StoreBusy',
      error_code: 'SERVICE_UNAVAILABLE',
      cause: 'Throttling',
    })
  })

  it('of any other: its name and eight lines of its stack, no message', () => {
    const lines = Array.from({ length: 10 }, (_, n) => `    at line${n}`)
    const error = Object.assign(new TypeError('secret'), { stack: ['TypeError: secret', ...lines].join('\n') })
    expect(traceOf(error)).toEqual({ fault: 'TypeError', stack: lines.slice(0, 8).map((line) => line.trim()) })
    for (const nothing of [undefined, null, {}]) expect(traceOf(nothing)).toEqual({ fault: 'Error', stack: [] })
  })
})

describe('several faults as one error', () => {
  const weak = 'VALIDATION_ERROR'
  const strong = 'LANGUAGE_NOT_ENABLED'
  it('none are none', () => expect(errorOf([])).toBeUndefined())

  it('has the strongest code with its property, and each fault once', () => {
    const found = [
      faultAt(weak, 'a', 'x'),
      faultAt(strong, 'b', 'y'),
      faultAt(weak, 'a', 'x'),
      faultAt(strong, 'c', 'z'),
    ]
    expect(errorOf(found)).toMatchObject({
      code: strong,
      property: 'b',
      detail: 'b y',
      message: 'b y',
      errors: [fault('a', 'x'), fault('b', 'y'), fault('c', 'z')],
    })
    expect(refuseFault(weak, 'a', 'x')).toMatchObject({
      code: weak,
      property: 'a',
      detail: 'a x',
      errors: [fault('a', 'x')],
    })
  })

  it('tells 300 of them, that of the code among them', () => {
    const many = Array.from({ length: 300 }, (_, n) => faultAt(weak, `p${n}`, 'x'))
    expect(errorOf(many)?.errors).toEqual(many.map((one) => one.fault))
    const more = [...many, faultAt(strong, 'last', 'y')]
    expect(errorOf(more)?.errors).toEqual([fault('last', 'y'), ...many.slice(1).map((one) => one.fault)])
    expect(errorOf([...many.slice(1), faultAt(strong, 'last', 'y')])?.errors?.at(-1)).toEqual(fault('last', 'y'))
  })
})

describe('several refusals as one', () => {
  const validation = refuseFault('VALIDATION_ERROR', 'a', 'is bad')
  const language = refuseFault('LANGUAGE_NOT_ENABLED', 'b', 'is not in use')

  it('no fault gives undefined, one gives itself', () => {
    expect([combineRefusals([]), combineRefusals([undefined])]).toEqual([undefined, undefined])
    expect(combineRefusals([undefined, validation])).toBe(validation)
  })

  it('have the strongest code and all faults, each once', () => {
    const all = combineRefusals([
      validation,
      undefined,
      language,
      validation,
      refuse('VALIDATION_ERROR', 'c', 'is odd'),
    ])
    expect(all).toMatchObject({
      code: 'LANGUAGE_NOT_ENABLED',
      property: 'b',
      detail: 'b is not in use',
      errors: [fault('a', 'is bad'), fault('b', 'is not in use'), fault('c', 'is odd')],
    })
    expect(combineRefusals([validation, refuse('VALIDATION_ERROR')])?.errors).toEqual([fault('a', 'is bad')])
  })
})

describe('an error as it is answered', () => {
  it('names code, property and request', () => {
    const { detail, title, ...rest } = problemOf(refuse('ROLE_NOT_FOUND', 'role_id'), 'r-1')
    expect(rest).toEqual({
      type: 'about:blank',
      status: 404,
      error_code: 'ROLE_NOT_FOUND',
      property: 'role_id',
      request_id: 'r-1',
    })
    expect([detail, title].every((text) => text.length > 0)).toBe(true)
    expect(problemOf(refuse('ROLE_NOT_FOUND'), 'r-1')).not.toHaveProperty('property')
    expect(problemOf(refuse('ROLE_NOT_FOUND', 'x', 'Own text'), 'r-1', true).detail).toBe('Own text')
  })

  it('a 400 lists its faults', () => {
    expect(problemOf(refuseFault('VALIDATION_ERROR', 'a', 'is bad'), 'r')).toMatchObject({
      status: 400,
      errors: [fault('a', 'is bad')],
    })
    expect(problemOf(refuse('VALIDATION_ERROR', 'a', 'is odd'), 'r')).toMatchObject({ errors: [fault('a', 'is odd')] })
    expect(problemOf(refuse('VALIDATION_ERROR'), 'r')).toMatchObject({ errors: [] })
  })

  it('any other error is our own fault and shows no cause', () => {
    const problem = problemOf(new Error('secret'), 'r')
    expect(problem).toMatchObject({ status: 500, error_code: 'INTERNAL_ERROR' })
    expect(JSON.stringify(problem)).not.toContain('secret')
    expect(problem).not.toHaveProperty('done')
  })

  it.each([
    [503, new StoreBusy(), true, 'It is done, but cannot be shown just now'],
    [503, new StoreBusy(), 'unknown' as const, 'It is not known whether it was done'],
    [503, new StoreBusy({ detail: 'Own' }), true, 'Own'],
    [503, new StoreBusy(), false, new StoreBusy().message],
    [429, new AppError('TOO_MANY_REQUESTS'), false, refuse('TOO_MANY_REQUESTS').message],
  ])('a %i says whether it was done: %#', (status, error, done, detail) => {
    expect(problemOf(error, 'r', done)).toMatchObject({ status, done, detail })
  })
  it('which is that it was not, if nothing else is said', () => {
    expect(problemOf(new StoreBusy(), 'r')).toMatchObject({ done: false })
  })
})
