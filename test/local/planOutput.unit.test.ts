import { expect, test } from 'vitest'
import { changeLine, faultLine, type Plan, planLines } from '../../local/plan/planOutput.ts'

const user = {
  id: 'u1',
  first_name: 'Ann',
  last_name: 'O\u202eB',
  is_deleted: false,
  department: null,
  profile_picture: null,
}
const change = { number: 1, row: 12, user, outcome: 'PLANNED' as const, error: null }

test.each([
  [
    { ...change, action: 'UPDATE' as const, fields: [{ field: 'email', before: null, after: 'a@b.example' }] },
    '  row 12    UPDATE      Ann O\\u202eB (u1)  email: – -> a@b.example',
  ],
  [
    { ...change, user: null, action: 'CREATE' as const, fields: [{ field: 'tags', before: null, after: ['a', 'b'] }] },
    '  row 12    CREATE      tags: ["a","b"]',
  ],
  [
    {
      ...change,
      ...{ row: null, action: 'LOCK' as const, outcome: 'SKIPPED' as const },
      fields: [{ field: 'status', before: 'ACTIVE', after: 'LOCKED' }],
      error: { code: 'CHANGED_SINCE' as const, detail: 'The user is another one' },
    },
    '  LOCK        Ann O\\u202eB (u1)  status: ACTIVE -> LOCKED  CHANGED_SINCE: The user is another one',
  ],
  [
    {
      ...change,
      action: 'UPDATE' as const,
      fields: [{ field: 'attribute:note', before: 'a\u001b[2Jb', after: 'x'.repeat(99) }],
    },
    `  row 12    UPDATE      Ann O\\u202eB (u1)  attribute:note: a\\u001b[2Jb -> ${'x'.repeat(60)}…`,
  ],
])('a change in a line: %#', (given, line) => expect(changeLine(given, 'UNDO')).toBe(line))

test('who is in no row of a file is absent', () => {
  const given = { ...change, row: null, action: 'DEACTIVATE' as const, fields: [] }
  expect(changeLine(given, 'FILE')).toBe('  absent    DEACTIVATE  Ann O\\u202eB (u1)')
})

test('a fault names row and column', () => {
  const fault = { code: 'VALIDATION_ERROR' as const, detail: 'status must be one word' }
  expect(faultLine({ ...fault, row: 7, column: 'Status' })).toBe(
    '  row 7     Status: status must be one word (VALIDATION_ERROR)',
  )
  expect(faultLine({ ...fault, row: null, column: null })).toBe('  status must be one word (VALIDATION_ERROR)')
})

test('a plan shows what it counts, and why it was refused', () => {
  const counts = {
    rows: 46,
    creations: 0,
    updates: 3,
    lifecycle: 0,
    assignments: 0,
    unchanged: 40,
    faults: 3,
    absent: 0,
  }
  const plan = {
    ...{ id: 'p', kind: 'FILE', title: 'hr.csv', state: 'REFUSED', request: {}, progress: null, created_by: 'admin' },
    ...{ created_at: '', checked_at: null, applied_by: null, applied_at: null, finished_at: null, expires_at: null },
    ...{ deletes_at: null, undone_by: null, ignored_columns: ['Shift'] },
    counts: { ...counts, planned: 0, done: 0, skipped: 0, failed: 0 },
    fault: { code: 'PLAN_LIMIT_EXCEEDED', detail: 'Too many' },
  } as Plan
  expect(planLines(plan)).toEqual([
    'Plan p (hr.csv) is REFUSED.',
    'PLAN_LIMIT_EXCEEDED: Too many',
    '  rows              46',
    '  updates            3',
    '  unchanged         40',
    '  faults             3',
    '  planned            0',
    '',
    'Columns that name nothing, and are left out:',
    '  Shift',
  ])
  const ready = planLines({ ...plan, title: null, fault: null, state: 'READY', expires_at: '2026-12-04T10:20:30.400Z' })
  expect(ready[0]).toBe('Plan p is READY until 2026-12-04 10:20 UTC.')
})
