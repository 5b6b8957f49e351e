import { expect, test } from 'vitest'
import { RollcallError } from '../../console/data/api.ts'
import { failed } from '../../console/data/useRead.ts'

const shown = { key: 'task 1', data: 'text', isLoading: true }
const problem = (status?: number) => new RollcallError('failed', { status, done: false })

test('what is shown stays if it cannot be read again', () => {
  for (const one of [problem(), problem(503), new TypeError('fetch failed')])
    expect(failed(shown, 'task 1', one)).toEqual({ key: 'task 1', data: 'text', problem: one, isLoading: false })
})

test('what is gone or refused goes, and so does what another address has shown', () => {
  for (const one of [problem(403), problem(404)]) expect(failed(shown, 'task 1', one)).not.toHaveProperty('data')
  expect(failed(shown, 'task 2', problem())).not.toHaveProperty('data')
})
