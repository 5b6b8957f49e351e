import { expect, it } from 'vitest'
import { changedBy, stillWrong } from '../../console/parts/mended.ts'

it('what is wrong counts once', () =>
  expect([...stillWrong(['last_name', 'email'], ['email'], new Set())]).toEqual(['last_name', 'email']))

it('a control that has changed since is wrong no longer', () =>
  expect([...stillWrong(['last_name'], ['email'], new Set(changedBy({ id: 'a', name: 'email', groups: [] })))]).toEqual(
    ['last_name'],
  ))

it('a change mends the groups that the control is in, and nothing without a name', () =>
  expect(changedBy({ id: '', name: 'recipient_kind', groups: ['recipients', ''] })).toEqual([
    'recipient_kind',
    'recipients',
  ]))
