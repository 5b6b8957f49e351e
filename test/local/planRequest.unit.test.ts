import { expect, test } from 'vitest'
import { fileRequest, rowsIn } from '../../local/plan/planRequest.ts'

test('says what was given, and leaves the rest to the service', () => {
  expect(fileRequest('night/hr.csv', {})).toEqual({ kind: 'FILE', title: 'hr.csv', format: 'CSV' })
  expect(fileRequest('hr.jsonl', { title: 'Night' })).toEqual({ kind: 'FILE', title: 'Night', format: 'JSONL' })
})

test('passes every option on', () => {
  const options = {
    ...{ title: 'T', format: 'JSONL', 'match-by': 'ID', full: true, empty: 'CLEAR', pending: 'RESTORE', unlock: true },
    ...{ column: ['Personnel number=external_id', 'a=b=email', 'Remark='], absent: 'DELETE', 'on-fault': 'REFUSE' },
    ...{ 'absent-among': ['attribute:department=Sales', 'status=ACTIVE'], 'include-administrators': true },
    limits: 'changed_percent=20, changes=7',
  }
  expect(fileRequest('f', options)).toEqual({
    ...{ kind: 'FILE', title: 'T', format: 'JSONL', match_by: 'ID', mode: 'FULL', empty: 'CLEAR', pending: 'RESTORE' },
    ...{ unlock: true, absent: 'DELETE', include_administrators: true, on_fault: 'REFUSE' },
    columns: { 'Personnel number': 'external_id', 'a=b': 'email', Remark: null },
    absent_among: { attribute_technical_name: 'department', attribute_value: 'Sales', status: ['ACTIVE'] },
    limits: { changed_percent: 20, changes: 7 },
  })
  expect(fileRequest('f', { 'absent-among': ['all'] })).toMatchObject({ absent_among: { all: true } })
})

test('the number of rows is asked for where people may be absent', () => {
  expect(rowsIn({})).toBe(undefined)
  expect(rowsIn({ absent: 'KEEP' })).toBe(undefined)
  expect(rowsIn({ absent: 'DELETE', rows: '46' })).toBe(46)
  expect(() => rowsIn({ absent: 'DEACTIVATE' })).toThrow(/^--absent needs --rows N/)
  expect(() => rowsIn({ rows: 'all' })).toThrow('--rows must be a number, not "all".')
})

test.each([
  [{ limits: 'changes' }, '--limits changes must be a number, not "".'],
  [{ limits: 'changes=many' }, '--limits changes must be a number, not "many".'],
  [{ column: ['Remark'] }, '--column Remark: give HEADER=FIELD, or HEADER= to leave the column out.'],
  [{ 'absent-among': ['department=Sales'] }, '--absent-among department=Sales: use one of status, role, search_term,'],
  [{ 'absent-among': ['all', 'tag=x'] }, '--absent-among all: give NAME=VALUE, with a value.'],
  [{ 'absent-among': ['tag='] }, '--absent-among tag=: give NAME=VALUE, with a value.'],
])('%j is refused', (options, message) => expect(() => fileRequest('f', options)).toThrow(message))
