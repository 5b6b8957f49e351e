import { expect, it } from 'vitest'
import { refuse, StoreBusy } from '../../domain/base/errors.ts'
import { atLeast, exists } from '../../domain/table/expressions.ts'
import { type Action, StaleRead } from '../../domain/table/store.ts'
import { retryable, verdict } from '../../domain/table/verdicts.ts'

const key = { pk: 'A', sk: 'A' }
const actions: Action[] = [
  { delete: key, if: exists },
  { check: key, if: atLeast('count', 2), otherwise: { code: 'ROLE_NOT_DELETABLE' } },
]
const cancelled = (...codes: string[]) =>
  Object.assign(new Error('Transaction cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map((Code) => ({ Code })),
  })
const FAILED = 'ConditionalCheckFailed'

// A refusal is told only where all conditions were judged at one moment.
it.each([
  [['None', FAILED], false, refuse('ROLE_NOT_DELETABLE')],
  [[FAILED, FAILED], false, new StaleRead()],
  [[FAILED, 'None'], false, new StaleRead()],
  [['TransactionConflict', FAILED], true, refuse('CONCURRENT_MODIFICATION')],
  [['ThrottlingError', FAILED], true, new StoreBusy()],
  [[FAILED, 'TransactionConflict'], false, new StaleRead()],
  [['TransactionConflict', 'None'], true, refuse('CONCURRENT_MODIFICATION')],
  [['None', 'ProvisionedThroughputExceeded'], true, new StoreBusy()],
])('%j: again %s, at last %s', (codes, again, error) => {
  const thrown = cancelled(...codes)
  expect(retryable(thrown, actions)).toBe(again)
  expect(verdict(thrown, actions, false)).toEqual(error)
})
