import { describe, expect, it } from 'vitest'
import { StaleRead } from '../../domain/base/errors.ts'
import type { Action, Item, Key, Page, Range, Store } from '../../domain/table/store.ts'
import {
  dueWork,
  endWork,
  idOfWork,
  isLate,
  moveOn,
  noteAgain,
  putBack,
  readAllWork,
  readGoneAssignments,
  readWork,
  requireNoWork,
  takeUp,
  type Work,
  workEntry,
  workKey,
} from '../../domain/table/work.ts'
import { told } from './written.ts'

const now = '2026-11-21T09:00:00.000Z'
const key = workKey('places', 't#1')

describe('an entry', () => {
  it('lies under its kind and id', () => {
    expect(key).toEqual({ pk: 'WORK', sk: 'places#t#1' })
    expect(idOfWork(key)).toBe('t#1')
  })

  it('of work that begins is due a minute later', () => {
    expect(dueWork(now)).toBe('2026-11-21T09:01:00.000Z')
    const entry = { ...key, kind: 'places', due: dueWork(now), task: 't' }
    expect(workEntry('places', 't#1', { task: 't' }, now)).toEqual(entry)
  })

  it('that was there before stays as long due as it is', () => {
    expect(told(noteAgain('places', 't#1', { task: 't' }, now))).toEqual([
      'update WORK places#t#1',
      `SET kind = "places", task = "t", due = if_not_exists(due, "${dueWork(now)}")`,
    ])
  })

  it('may be in the way', () => {
    expect(told(requireNoWork('group', 'g'))).toEqual(['check WORK group#g', 'if attribute_not_exists(pk)'])
    const otherwise = { code: 'DUPLICATE_ID' } as const
    expect(told(requireNoWork('group', 'g', otherwise))).toEqual([
      'check WORK group#g',
      'if attribute_not_exists(pk)',
      otherwise,
    ])
  })

  it('ends, or moves on, as it is expected', () => {
    const item = { ...key, left: 3 }
    expect(told(endWork(item))).toEqual(['delete WORK places#t#1'])
    expect(told(endWork(item, { left: 3 }))).toEqual(['delete WORK places#t#1', 'if left = 3'])
    expect(told(moveOn(item, { left: 2 }, { left: 3 }))).toEqual([
      'update WORK places#t#1',
      'SET left = 2',
      'if (attribute_exists(pk)) AND (left = 3)',
    ])
    expect(told(moveOn(item, { left: 2 }))).toEqual([
      'update WORK places#t#1',
      'SET left = 2',
      'if attribute_exists(pk)',
    ])
  })

  it('is read by itself, with all others, or with those of assignments that are gone', async () => {
    const entry = workEntry('places', 't#1', { task: 't' }, now)
    const get = async (at: Key) => (at.sk === key.sk && at.pk === key.pk ? entry : undefined)
    expect(await readWork({ get }, 'places', 't#1')).toEqual(entry)
    expect(await readWork({ get }, 'rename', 't#1')).toBeUndefined()
    const asked: Range[] = []
    const query = async (range: Range): Promise<Page> => {
      asked.push(range)
      return { items: [entry], count: 1 }
    }
    expect(await readAllWork({ query })).toEqual([entry])
    expect(await readGoneAssignments({ query })).toEqual([entry])
    expect(asked).toEqual([
      { hash: 'WORK', consistent: true },
      { hash: 'WORK', consistent: true, beginsWith: 'gone-' },
    ])
    expect(workKey('gone-task', '').sk.startsWith('gone-')).toBe(true)
    expect(workKey('gone-recipients', '').sk.startsWith('gone-')).toBe(true)
  })
})

describe('an attempt', () => {
  /** What an attempt needs, five seconds later; it notes what is written. */
  function working(stored?: Item, isStale = false) {
    const written: Action[] = []
    const store = {
      get: async () => stored,
      write: async (actions: readonly Action[]) => {
        if (isStale) throw new StaleRead()
        written.push(...actions)
      },
    } as unknown as Store
    const work: Work = { store, now, clock: () => new Date(Date.parse(now) + 5000), timeLeft: () => 0 }
    return { work, written }
  }
  const later = (ms: number) => new Date(Date.parse(now) + 5000 + ms).toISOString()
  const MINUTE = 60_000

  it.each<[number | undefined, number]>([
    [undefined, 2 * MINUTE],
    [1, 4 * MINUTE],
    [7, 256 * MINUTE],
    [8, 360 * MINUTE],
    [40, 360 * MINUTE],
  ])('after %s in vain is counted, and puts the next one off by %i ms', async (attempts, wait) => {
    const entry = { ...key, due: now, ...(attempts === undefined ? {} : { attempts }) }
    const { work, written } = working()
    const taken = { due: later(wait), attempts: (attempts ?? 0) + 1 }
    expect(await takeUp(work, entry)).toEqual({ ...entry, ...taken })
    const isAsRead = attempts === undefined ? 'attribute_not_exists(attempts)' : `attempts = ${attempts}`
    expect(written.map(told)).toEqual([
      [
        'update WORK places#t#1',
        `SET due = "${taken.due}", attempts = ${taken.attempts}`,
        `if (attribute_exists(pk)) AND ((due = "${now}") AND (${isAsRead}))`,
      ],
    ])
  })

  it('of what another run has finished or taken up is none', async () => {
    expect(await takeUp(working(undefined, true).work, { ...key, due: now })).toBeUndefined()
  })

  it('that had no time is none, and is made again at once', async () => {
    const stored = { ...key, due: now, attempts: 3 }
    const { work, written } = working(stored)
    expect(await putBack(work, key)).toBe(true)
    expect(written.map(told)).toEqual([
      [
        'update WORK places#t#1',
        `SET due = "${later(0)}", attempts = 0`,
        `if (attribute_exists(pk)) AND ((due = "${now}") AND (attempts = 3))`,
      ],
    ])
    const done = working()
    expect(await putBack(done.work, key)).toBe(false)
    expect(done.written).toEqual([])
  })

  it('stops eight seconds before its time is over', () => {
    expect([7999, 8000].map((ms) => isLate({ timeLeft: () => ms }))).toEqual([true, false])
  })
})
