import { marshall } from '@aws-sdk/util-dynamodb'
import { describe, expect, it } from 'vitest'
import { refuse, StaleRead, StoreBusy, StoreContended, StoreUnreachable } from '../../domain/base/errors.ts'
import { domainError } from '../../domain/table/dynamo.ts'
import { atLeast, exists } from '../../domain/table/expressions.ts'
import { isUnreachable, mayBeDone } from '../../domain/table/failures.ts'
import { newRequest } from '../../domain/table/requestStats.ts'
import type { Action } from '../../domain/table/store.ts'
import { retryable, writeError } from '../../domain/table/transact.ts'

const key = { pk: 'A', sk: 'A' }
const actions: Action[] = [
  { delete: key, if: exists },
  { check: key, if: atLeast('count', 2), otherwise: { code: 'ROLE_NOT_DELETABLE', property: 'role_id' } },
]
const cancelled = (...codes: (string | undefined)[]) =>
  Object.assign(new Error('Transaction cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map((Code) => (Code === undefined ? {} : { Code })),
  })
const named = (name: string, parts: object = {}) => Object.assign(new Error('x'), { name }, parts)
const request = () => newRequest('Query')
const uncertain = () => ({ ...request(), isUncertain: true })
const FAILED = 'ConditionalCheckFailed'

// A refusal is reported only where all conditions were judged at one moment.
it.each([
  [['None', FAILED], false, refuse('ROLE_NOT_DELETABLE', 'role_id')],
  [[undefined, FAILED], false, refuse('ROLE_NOT_DELETABLE', 'role_id')],
  [[FAILED, FAILED], false, new StaleRead()],
  [[FAILED, 'None'], false, new StaleRead()],
  [['TransactionConflict', FAILED], true, new StoreContended()],
  [['ThrottlingError', FAILED], true, new StoreBusy({ cause: 'ThrottlingError' })],
  [[FAILED, 'TransactionConflict'], false, new StaleRead()],
  [['TransactionConflict', 'None'], true, new StoreContended()],
  [['None', 'ProvisionedThroughputExceeded'], true, new StoreBusy({ cause: 'ProvisionedThroughputExceeded' })],
  [[undefined, 'ThrottlingError'], true, new StoreBusy({ cause: 'ThrottlingError' })],
  [[undefined, 'TransactionConflict'], true, new StoreContended()],
])('%j: again %s, at last %s', (codes, again, error) => {
  const thrown = cancelled(...codes)
  expect(retryable(thrown, actions)).toBe(again)
  const found = writeError(thrown, actions, request())
  expect([found.name, found.message]).toEqual([error.name, error.message])
  expect([found.constructor, found.cause]).toEqual([error.constructor, error.cause])
  const failedRequest = error instanceof StoreBusy ? { request: 'Query', attempts: 0 } : undefined
  expect(found).toMatchObject({ ...error, ...(error instanceof StaleRead ? {} : { failedRequest }) })
})

it.each([
  [[FAILED, 'TransactionConflict'], false, 'DUPLICATE_ID'],
  [['TransactionConflict', 'None'], true, 'IDEMPOTENCY_KEY_IN_USE'],
  [['None', 'TransactionConflict'], true, 'CONCURRENT_MODIFICATION'],
])('where an item may be busy, %j: again %s, at last %s', (codes, again, code) => {
  const busy: Action[] = [
    { check: key, otherwise: { code: 'DUPLICATE_ID' }, busy: 'IDEMPOTENCY_KEY_IN_USE' },
    { check: key },
  ]
  const whole = named('TransactionInProgressException')
  expect(writeError(whole, busy, request())).toMatchObject({ code: 'CONCURRENT_MODIFICATION' })
  expect(retryable(cancelled(...codes), busy)).toBe(again)
  expect(writeError(cancelled(...codes), busy, request())).toMatchObject({ code })
})

it('what is wrong with all of a transaction is no refusal', () => {
  const thrown = cancelled('ValidationError', 'None')
  expect(retryable(thrown, actions)).toBe(false)
  expect(writeError(thrown, actions, request())).toBe(thrown)
  expect(retryable(cancelled('None', 'None', FAILED), actions)).toBe(false)
  expect(writeError(cancelled('None', 'None', FAILED), actions, request())).toMatchObject({
    name: 'TransactionCanceledException',
  })
})

it('a refusal may be judged from the item that was in the way', () => {
  const judging: Action[] = [{ check: key, otherwise: (item) => new Error(`found ${item?.['name'] ?? 'nothing'}`) }]
  const thrown = (Item?: object) =>
    Object.assign(cancelled(FAILED), { CancellationReasons: [{ Code: FAILED, ...(Item ? { Item } : {}) }] })
  expect(writeError(thrown(marshall({ ...key, name: 'x' })), judging, request()).message).toBe('found x')
  expect(writeError(thrown(), judging, request()).message).toBe('found nothing')
})

const throttles = [
  'ThrottlingException',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
]
const conflicts = ['TransactionConflict', 'TransactionInProgressException', 'TransactionConflictException']
const certificates = [
  ...['CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN', 'CRL_HAS_EXPIRED'],
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
]
const unsent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', ...certificates]
const tls = [
  ...['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_TLS_HANDSHAKE_TIMEOUT'],
  // Of the name in a certificate, but Node checks it after the handshake.
  'ERR_TLS_CERT_ALTNAME_INVALID',
]
const unanswered = ['TimeoutError', 'NetworkingError', 'RequestTimeout', 'ECONNRESET', 'EPIPE', ...tls]

const isTls = (code: string) => [...tls, ...certificates].includes(code)

describe('a request', () => {
  it.each(throttles)('that there is no room for, %s', (name) => {
    const thrown = named(name)
    expect([retryable(thrown, actions), isUnreachable(thrown), mayBeDone(thrown)]).toEqual([true, false, false])
    for (const found of [domainError(thrown, request()), writeError(thrown, actions, request())]) {
      expect(found).toBeInstanceOf(StoreBusy)
      expect(found.cause).toBe(name)
    }
  })

  it.each(conflicts)('that met another one, %s', (name) => {
    const thrown = named(name)
    expect([retryable(thrown, actions), isUnreachable(thrown)]).toEqual([true, false])
    expect(writeError(thrown, actions, request())).toMatchObject({ code: 'CONCURRENT_MODIFICATION' })
    expect(domainError(thrown, request())).toBe(thrown)
  })

  it.each([...unsent, ...unanswered])('that could not be sent, or has no answer, %s', (code) => {
    for (const thrown of [...(isTls(code) ? [] : [named(code)]), named('Error', { code })]) {
      expect([retryable(thrown, actions), isUnreachable(thrown)]).toEqual([true, true])
      const found = writeError(thrown, actions, request())
      expect(found).toBeInstanceOf(StoreUnreachable)
      expect(found).toMatchObject({ cause: code, mayBeDone: false })
    }
    expect(mayBeDone(named('Error', { code }))).toBe(unanswered.includes(code))
  })

  it.each(['EPROTONOSUPPORT', 'EPROTOTYPE', 'NO_ERR_TLS_', 'IS_UNABLE_TO_SAY'])(
    'that failed with another code, %s, is thrown as it is',
    (code) => {
      const thrown = named('Error', { code })
      expect([retryable(thrown, actions), isUnreachable(thrown), mayBeDone(thrown)]).toEqual([false, false, false])
      expect(domainError(thrown, request())).toBe(thrown)
    },
  )

  it.each([
    [500, true],
    [503, true],
    [499, false],
    [undefined, false],
  ])('with status %s: the store broke down: %s', (httpStatusCode, isDown) => {
    const thrown = named('InternalServerError', { $metadata: { httpStatusCode } })
    expect([isUnreachable(thrown), mayBeDone(thrown), retryable(thrown, actions)]).toEqual([isDown, isDown, isDown])
    expect(domainError(thrown, request()) instanceof StoreUnreachable).toBe(isDown)
    if (isDown) expect(domainError(thrown, request()).cause).toBe('InternalServerError')
    else expect(domainError(thrown, request())).toBe(thrown)
  })

  it('that is called off may be done', () => {
    const thrown = named('AbortError')
    for (const found of [domainError(thrown, request()), writeError(thrown, actions, request())])
      expect(found).toMatchObject({ name: 'StoreUnreachable', mayBeDone: true, cause: 'OutOfTime' })
    expect([retryable(thrown, actions), isUnreachable(thrown), mayBeDone(thrown)]).toEqual([false, false, false])
  })

  it('that failed otherwise is thrown as it is', () => {
    const thrown = named('ValidationException')
    expect([domainError(thrown, request()), writeError(thrown, actions, uncertain())]).toEqual([thrown, thrown])
    expect([retryable(thrown, actions), isUnreachable(thrown), mayBeDone(thrown)]).toEqual([false, false, false])
    for (const nothing of [undefined, null])
      expect([isUnreachable(nothing), mayBeDone(nothing), retryable(nothing, actions)]).toEqual([false, false, false])
  })
})

describe('after an attempt without an answer', () => {
  it.each([
    ['a conflict', cancelled('TransactionConflict'), 'TransactionConflict'],
    ['no room', cancelled('None', 'ThrottlingError'), 'ThrottlingError'],
    ['no answer', named('Error', { code: 'ECONNRESET' }), 'ECONNRESET'],
  ])('%s says nothing of what was done', (_what, thrown, cause) => {
    const found = writeError(thrown, actions, uncertain())
    expect(found).toMatchObject({ name: 'StoreUnreachable', mayBeDone: true, cause })
  })

  it('a refusal says that nothing was done', () => {
    expect(writeError(cancelled('None', FAILED), actions, uncertain())).toMatchObject({ code: 'ROLE_NOT_DELETABLE' })
    expect(writeError(cancelled(FAILED, 'None'), actions, uncertain())).toBeInstanceOf(StaleRead)
  })
})
