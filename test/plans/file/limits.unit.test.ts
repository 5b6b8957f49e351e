import { expect, it } from 'vitest'
import type { PlannedChange } from '../../../domain/plans/change.ts'
import { addPerson, beyondLimits, nobody } from '../../../domain/plans/file/limits.ts'

const change = (action: PlannedChange['action'], ...fields: [string, unknown, unknown][]) => ({
  action,
  fields: fields.map(([field, before, after]) => ({ field, before, after })),
})
const counted = (...people: ReturnType<typeof change>[][]) => people.reduce(addPerson, nobody)
const times = (number: number, changes: ReturnType<typeof change>[]) => Array.from({ length: number }, () => changes)

it('counts people, and what each of them loses', () => {
  expect(
    counted(
      [change('UPDATE', ['email', 'a@b.c', null], ['tags', ['x'], []]), change('LOCK', ['status', 'ACTIVE', 'LOCKED'])],
      [change('UPDATE', ['first_name', 'A', 'B'], ['tags', [], ['x']])],
      [change('CREATE', ['first_name', null, 'A'])],
      [change('RESTORE', ['status', 'PENDING_DELETION', 'ACTIVE'], ['deletion_at', '2026-12-05', null])],
      [change('UNLOCK', ['status', 'LOCKED', 'ACTIVE'])],
      [],
    ),
  ).toEqual({ changed: 4, lifecycle: 1, cleared: { email: 1, tags: 1 } })
})

const updated = [change('UPDATE', ['first_name', 'A', 'B'])]
const locked = [change('LOCK', ['status', 'ACTIVE', 'LOCKED'])]
const cleared = [change('UPDATE', ['email', 'a@b.c', null])]
const created = [change('CREATE', ['first_name', null, 'A'])]

it.each([
  // A fifth of 101 is 20.2: rounded up.
  [101, times(21, updated), {}, undefined],
  [101, times(22, updated), {}, 'changed_percent 20 allows 21'],
  [200, times(10, locked), {}, undefined],
  [200, times(11, locked), {}, 'lifecycle_percent 5 allows 10'],
  [201, times(11, locked), {}, undefined],
  [201, times(12, locked), {}, 'lifecycle_percent 5 allows 11'],
  // Never below ten people.
  [3, times(10, locked), {}, undefined],
  [3, times(11, updated), {}, 'changed_percent 20 allows 10'],
  [100, times(11, cleared), {}, 'cleared_percent 5 allows 10'],
  [1_000, times(51, locked), { lifecycle_percent: 10 }, undefined],
  [1_000, times(101, locked), { lifecycle_percent: 10 }, 'lifecycle_percent 10 allows 100'],
  [1_000, times(11, locked), { lifecycle_percent: 0 }, 'lifecycle_percent 0 allows 10'],
  [0, times(500, created), {}, undefined],
  [1_000, times(5, updated), { changes: 4 }, 'The plan makes 5 changes, and its limit is 4'],
])('of %i users', (scope, people, limits, detail) => {
  const fault = beyondLimits(limits, { people: people.reduce(addPerson, nobody), scope, planned: people.length })
  if (detail === undefined) expect(fault).toBeUndefined()
  else expect(fault).toEqual({ code: 'PLAN_LIMIT_EXCEEDED', detail: expect.stringContaining(detail) })
})

it('says how many more users may be absent, if the plan is refused anyway', () => {
  const people = (number: number) => ({ people: times(number, locked).reduce(addPerson, nobody), planned: number })
  const unjudged = 400
  const detail = expect.stringContaining('allows 50. 400 more users seem to be in no row')
  expect(beyondLimits({}, { ...people(51), scope: 1_000, unjudged })).toMatchObject({ detail })
  expect(beyondLimits({}, { ...people(50), scope: 1_000, unjudged })).toBeUndefined()
})
