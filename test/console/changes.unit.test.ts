import { expect, it } from 'vitest'
import { separateChanges, titleInEvent } from '../../console/data/changes.ts'
import { fieldText } from '../../console/data/fieldText.ts'
import { en } from '../../console/texts/en.ts'

it('an event names each attribute that has changed, and no other', () => {
  const before = [
    { name: 'locker', value: 'L-1' },
    { name: 'location', value: 'Berlin' },
    { name: 'floor', value: '2' },
  ]
  const after = [
    { name: 'locker', value: 'L-2' },
    { name: 'location', value: 'Berlin' },
    { name: 'desk', value: '7' },
  ]
  const role = { field: 'role', before: 'USER', after: 'ADMIN' }
  expect(separateChanges([role, { field: 'attributes', before, after }])).toEqual([
    role,
    { field: 'attribute:locker', before: 'L-1', after: 'L-2' },
    { field: 'attribute:floor', before: '2', after: null },
    { field: 'attribute:desk', before: null, after: '7' },
  ])
  expect(separateChanges([{ field: 'attributes', before: null, after: [{ name: 'desk', value: '7' }] }])).toEqual([
    { field: 'attribute:desk', before: null, after: '7' },
  ])
  const hidden = { field: 'attributes' }
  expect(separateChanges([hidden])).toEqual([hidden])
})

it.each([
  ['source', 'RULE', 'By a rule'],
  ['source', 'USER_GROUP', 'Through a group'],
  ['status', 'ARCHIVED', 'Archived'],
  ['enabled', false, 'No'],
  ['progress_status', 'NEW', 'Not read'],
  ['profile_picture', { file_id: '5f0c' }, 'a picture'],
  ['profile_picture', null, 'none'],
])('the field %s with %s is shown in words', (field, value, words) => expect(fieldText(field, value, en)).toBe(words))

it('what is gone is called as the event of its deletion says', () => {
  const changes = [{ field: 'name', before: 'HR system', after: null }]
  const record = { kind: 'service_token' }
  expect(titleInEvent({ type: 'service_token.deleted', record, changes })).toBe('HR system')
  // The record that is still there has perhaps another name by now.
  expect(titleInEvent({ type: 'service_token.created', record, changes })).toBeUndefined()
  const renamed = [{ field: 'title', before: 'Old', after: 'New' }]
  expect(titleInEvent({ type: 'task.updated', record: { kind: 'task' }, changes: renamed })).toBe('New')
  expect(titleInEvent({ type: 'role.deleted', record: { kind: 'role' }, changes: [] })).toBeUndefined()
})
