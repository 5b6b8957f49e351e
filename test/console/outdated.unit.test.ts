import { expect, it, vi } from 'vitest'
import { RollcallError } from '../../client/src/index.ts'
import { readIfOutdated } from '../../console/data/problem.ts'

it.each([
  ['PRECONDITION_FAILED', 1],
  ['USER_GROUP_NOT_FOUND', 0],
] as const)('after %s a record is read again %i times', (error_code, times) => {
  const again = vi.fn()
  readIfOutdated(new RollcallError(error_code, { done: false, error_code }), again)
  expect(again).toHaveBeenCalledTimes(times)
})
