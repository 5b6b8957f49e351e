import { describe, expect, it } from 'vitest'
import {
  type Change,
  isBeingCounted,
  mayUndo,
  numbersOf,
  type Plan,
  reasonOf,
  stateText,
} from '../../console/plans/planQuery.ts'
import { en } from '../../console/texts/en.ts'
import { notDoneBefore } from '../../domain/plans/carryOut.ts'
import { noCounts } from '../../domain/plans/plan.ts'
import { changedSince } from '../../domain/plans/verdict.ts'

const finished_at = '2026-11-20T10:00:00.000Z'
const hoursLater = (hours: number) => Date.parse(finished_at) + hours * 3_600_000
const plan = (part: object): Plan =>
  ({ kind: 'SELECTION', state: 'DONE', finished_at, applied_at: finished_at, undone_by: null, ...part }) as never
const done = (part: object = {}) => plan({ counts: { done: 3 }, ...part })

describe('a plan can be taken back', () => {
  it.each([
    ['CANCELLED', true],
    ['REFUSED', true],
    ['EXPIRED', true],
    ['GONE', true],
    ['CHECKING', false],
    ['READY', false],
    ['APPLYING', false],
    ['DONE', false],
    [undefined, false],
  ] as const)('while the plan that takes it back is %s: %s', (undo, may) =>
    expect(mayUndo(done({ undone_by: 'undo' }), undo)).toBe(may),
  )
  it('if something was done, and as long as its values are kept', () => {
    expect(mayUndo(done(), undefined)).toBe(true)
    expect(mayUndo(plan({ counts: { done: 0 } }), undefined)).toBe(false)
    expect(mayUndo(done({ state: 'APPLYING' }), undefined)).toBe(false)
    expect(mayUndo(done({ state: 'CANCELLED' }), undefined, hoursLater(1))).toBe(true)
    expect(mayUndo(done({ state: 'CANCELLED' }), undefined, hoursLater(7 * 24))).toBe(false)
    expect(mayUndo(done(), undefined, hoursLater(7 * 24))).toBe(true)
  })
})

it('what was done before a plan was cancelled is counted for some seconds', () => {
  const cancelled = plan({ state: 'CANCELLED', counts: { done: 0 } })
  expect(isBeingCounted(cancelled, hoursLater(0))).toBe(true)
  expect(isBeingCounted(cancelled, hoursLater(1))).toBe(false)
  expect(isBeingCounted({ ...cancelled, applied_at: null }, hoursLater(0))).toBe(false)
})

describe('the numbers of a plan', () => {
  const counts = { ...noCounts, updates: 3, lifecycle: 2, unchanged: 7, faults: 1, planned: 5 }
  const would = [
    ['People who would change', 3],
    ['States that would change', 2],
  ]
  const rows = [
    ['Without a change', 7],
    ['Faults', 1],
  ]
  it.each<[string, object, unknown[]]>([
    ['worked out: what it would do', { state: 'READY', applied_at: null }, [...would, ...rows]],
    [
      'being applied: also what is done',
      { state: 'APPLYING', counts: { ...counts, done: 2 } },
      [...would, ['Changes made', 2], ...rows],
    ],
    [
      'all of it was done',
      { counts: { ...counts, done: 5 } },
      [['People changed', 3], ['Changes of state', 2], ['Changes made', 5], ...rows],
    ],
    [
      'a part was done',
      { counts: { ...counts, done: 2, skipped: 2, failed: 1 } },
      [['Changes made', 2], ['Changes skipped', 2], ['Changes failed', 1], ...rows],
    ],
    ['cancelled before anything was done', { state: 'CANCELLED', applied_at: null }, [...would, ...rows]],
    ['refused: only faults', { state: 'REFUSED', applied_at: null }, [['Faults', 1]]],
  ])('%s', (_, part, numbers) => expect(numbersOf(plan({ counts, ...part }), en)).toEqual(numbers))
})

it('a plan that would change nothing waits for nobody', () => {
  const ready = (planned: number) => stateText(plan({ state: 'READY', counts: { planned } }), en)
  expect([ready(1), ready(0)]).toEqual(['Waits for a decision', 'Nothing to do'])
})

describe('why a change was not made', () => {
  const ofFile = (match_by?: string) => plan({ request: match_by ? { match_by } : {} })
  const skipped = (action: string, error: object | null = changedSince) => ({ action, error }) as Change
  it.each<[string, Plan, Change, string | undefined]>([
    ['somebody has changed it', ofFile(), skipped('UPDATE'), en.errors.CHANGED_SINCE],
    ['the person is there', ofFile(), skipped('CREATE'), 'Somebody with this external ID exists by now.'],
    ['by username', ofFile('USERNAME'), skipped('CREATE'), 'Somebody with this username exists by now.'],
    ['one before was not made', ofFile(), skipped('CREATE', notDoneBefore), en.plans.notDoneBefore],
    ['refused', ofFile(), skipped('LOCK', { code: 'PERMISSION_MISSING' }), en.errors.PERMISSION_MISSING],
    ['it was made', ofFile(), skipped('LOCK', null), undefined],
  ])('%s', (_, plan, change, reason) => expect(reasonOf(plan, change, en)).toBe(reason))
})
