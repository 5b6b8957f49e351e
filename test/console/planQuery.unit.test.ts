import { describe, expect, it } from 'vitest'
import { isBeingCounted, mayUndo, type Plan } from '../../console/plans/planQuery.ts'

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
