import { expect, it } from 'vitest'
import { typesText } from '../../console/connections/eventText.ts'
import { lastAttemptOf } from '../../console/connections/lastAttempt.ts'
import { faultOfReplay } from '../../console/connections/replayDays.ts'
import { expiryOf } from '../../console/connections/tokenExpiry.ts'
import { de } from '../../console/texts/de.ts'
import { en } from '../../console/texts/en.ts'

const attempt = (at: string, status: number | null) => ({ at, status, ms: 5, fault: null })
const [ten, eleven, noon] = ['2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z', '2026-03-01T12:00:00.000Z']

it('a webhook is judged by its last attempt, of whichever delivery', () => {
  const next = '2026-03-01T13:00:00.000Z'
  const tried = [
    { attempts: [], next_attempt_at: next },
    { attempts: [attempt(eleven, 204)], next_attempt_at: null },
    { attempts: [attempt(ten, 500), attempt(noon, 500)], next_attempt_at: next },
  ]
  expect(lastAttemptOf(tried)).toEqual({ hasWorked: false, status: 500, next })
  expect(lastAttemptOf(tried.slice(0, 2))).toEqual({ hasWorked: true, status: 204, next: null })
  expect(lastAttemptOf([{ attempts: [attempt(ten, null)], next_attempt_at: null }])?.hasWorked).toBe(false)
  expect(lastAttemptOf(tried.slice(0, 1))).toBeUndefined()
})

it('the types of a webhook are called by their words', () => {
  expect(typesText(['user.*', 'plan.finished'], en)).toBe('People, Plan finished')
  expect(typesText(null, de)).toBe('Alle')
})

it('what was sent can be sent again since a day that reaches until today', () => {
  const now = new Date(2026, 10, 29, 12)
  expect(['2026-10-30', '2026-11-29'].map((day) => faultOfReplay(day, en, now))).toEqual([false, false])
  const { replayWithin, replayTooEarly, replayToCome } = en.connections
  expect(['2026-10-29', '2026-11-30'].map((day) => faultOfReplay(day, en, now))).toEqual([
    replayTooEarly(30),
    replayToCome,
  ])
  // What is wrong is not said in the words of the hint above it.
  expect([replayTooEarly(30), replayToCome]).not.toContain(replayWithin(30))
  expect(faultOfReplay('', en, now)).toBe(en.problems.required)
})

it('a token ends soon within 30 days', () => {
  const now = Date.parse('2026-11-29T12:00:00.000Z')
  const ends = ['2026-11-29T11:59:59.000Z', '2026-12-29T11:59:59.000Z', '2026-12-29T12:00:00.000Z']
  expect(ends.map((end) => expiryOf(end, now))).toEqual(['OVER', 'SOON', 'LATER'])
})
