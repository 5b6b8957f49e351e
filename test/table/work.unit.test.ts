import { describe, expect, it } from 'vitest'
import { StaleRead } from '../../domain/base/errors.ts'
import { idOfWork, workKey } from '../../domain/table/keys.ts'
import { readAllWork, readEntry, readGoneAssignments, readQueue, readWork } from '../../domain/table/readWork.ts'
import type { Action, Key, Page, Range, Store } from '../../domain/table/store.ts'
import { afterCalls, endWork, noteOnce, recordProgress, requireNoWork, workEntry } from '../../domain/table/work.ts'
import { isShortOfTime, timeBeforeAnswer, type Work } from '../../domain/work/steps.ts'
import { handOver, takeEntry } from '../../domain/work/taking.ts'
import { actionText } from './written.ts'

const now = '2026-11-21T09:00:00.000Z'
const key = workKey('places', 't')

describe('an entry', () => {
  it('lies under its kind and id', () => {
    expect(key).toEqual({ pk: 'WORK', sk: 'places#t' })
    expect([key, { ...key, sk: 'places#t#2' }, { ...key, sk: 'places' }].map(idOfWork)).toEqual(['t', 't', ''])
  })

  it('of work that begins is left to its call for ten seconds, or to somebody else', () => {
    const due = '2026-11-21T09:00:10.000Z'
    const entry = { ...key, kind: 'places', taker: 'CALL', due, task: 't' }
    expect(workEntry('places', 't', { task: 't' }, now)).toEqual(entry)
    const other = { ...entry, sk: 'places#t#2', taker: 'STREAM' }
    expect(workEntry('places', 't', { task: 't' }, now, { taker: 'STREAM', suffix: '2' })).toEqual(other)
    expect(afterCalls(now)).toBe('2026-11-21T09:01:00.000Z')
  })

  it('that was there before stays with its taker', () => {
    expect(actionText(noteOnce(workEntry('places', 't', { task: 't' }, now)))).toEqual([
      'update WORK places#t',
      'SET kind = "places", task = "t", taker = if_not_exists(taker, "CALL"), due = if_not_exists(due, "2026-11-21T09:00:10.000Z")',
    ])
  })

  it('may be in the way', () => {
    expect(actionText(requireNoWork('group', 'g'))).toEqual(['check WORK group#g', 'if attribute_not_exists(pk)'])
    const otherwise = { code: 'DUPLICATE_ID' } as const
    expect(actionText(requireNoWork('group', 'g', otherwise))).toEqual([
      'check WORK group#g',
      'if attribute_not_exists(pk)',
      otherwise,
    ])
  })

  it('ends, or moves on, as it is expected', () => {
    const item = { ...key, left: 3 }
    expect(actionText(endWork(item))).toEqual(['delete WORK places#t'])
    expect(actionText(endWork(item, { left: 3 }))).toEqual(['delete WORK places#t', 'if left = 3'])
    const { work } = working()
    const set = `SET due = "${later(LEASE)}", attempts = 0, left = 2`
    expect(actionText(recordProgress(work, item, { left: 2 }, { left: 3 }))).toEqual([
      'update WORK places#t',
      set,
      'if (attribute_exists(pk)) AND (left = 3)',
    ])
    expect(actionText(recordProgress(work, item, { left: 2 }))).toEqual([
      'update WORK places#t',
      set,
      'if attribute_exists(pk)',
    ])
  })

  it('is read by itself, with all others, or with those of assignments that are gone', async () => {
    const entry = workEntry('places', 't', { task: 't' }, now)
    const get = async (at: Key) => (at.sk === key.sk && at.pk === key.pk ? entry : undefined)
    expect(await readWork({ get }, 'places', 't')).toEqual(entry)
    expect(await readWork({ get }, 'rename', 't')).toBeUndefined()
    expect(await readEntry({ get }, entry)).toEqual(entry)
    const asked: Range[] = []
    const query = async (range: Range): Promise<Page> => {
      asked.push(range)
      return { items: [entry], count: 1 }
    }
    expect(await readAllWork({ query })).toEqual([entry])
    expect(await readGoneAssignments({ query })).toEqual([entry])
    expect(asked).toMatchObject([
      { hash: 'WORK', consistent: true },
      { hash: 'WORK', consistent: true, beginsWith: 'gone-' },
    ])
    const turn = [entry, workEntry('places', 't', { task: 't' }, now, { suffix: '2' })]
    const items = [...turn, workEntry('places', 'tt', { task: 'tt' }, now)]
    const inTurn = async (range: Range): Promise<Page> => ({ items, count: asked.push(range) })
    expect(await readQueue({ query: inTurn }, 'places#t')).toEqual(turn)
    expect(asked.at(-1)).toMatchObject({ hash: 'WORK', consistent: true, beginsWith: 'places#t' })
    expect(workKey('gone-task', '').sk.startsWith('gone-')).toBe(true)
    expect(workKey('gone-recipients', '').sk.startsWith('gone-')).toBe(true)
  })
})

/** What an attempt needs, five seconds later; it notes what is written. */
function working(isStale = false) {
  const written: Action[] = []
  const store = {
    write: async (actions: readonly Action[]) => {
      if (isStale) throw new StaleRead()
      written.push(...actions)
    },
  } as unknown as Store
  const work: Work = { store, now, clock: () => new Date(Date.parse(now) + 5000), timeLeft: () => 0 }
  return { work, written }
}
const later = (ms: number) => new Date(Date.parse(now) + 5000 + ms).toISOString()
const LEASE = 10_000
const MINUTE = 60_000

describe('an attempt', () => {
  it.each<[number | undefined, number]>([
    [undefined, LEASE],
    [1, LEASE],
    [7, LEASE],
    [8, 2 * LEASE],
    [9, 4 * LEASE],
    [18, 2 ** 11 * LEASE],
    [19, 360 * MINUTE],
    [40, 360 * MINUTE],
  ])('after %s in vain is counted, and puts the next one off by %i ms', async (attempts, wait) => {
    const entry = { ...key, due: now, ...(attempts === undefined ? {} : { attempts }) }
    const { work, written } = working()
    const taken = { due: later(wait), attempts: (attempts ?? 0) + 1 }
    expect(await takeEntry(work, entry)).toEqual({ ...entry, ...taken })
    const isAsRead = attempts === undefined ? 'attribute_not_exists(attempts)' : `attempts = ${attempts}`
    expect(written.map(actionText)).toEqual([
      [
        'update WORK places#t',
        `SET due = "${taken.due}", attempts = ${taken.attempts}`,
        `if (attribute_exists(pk)) AND ((due = "${now}") AND (${isAsRead}))`,
      ],
    ])
  })

  it('of what another run has finished or taken up is none', async () => {
    expect(await takeEntry(working(true).work, { ...key, due: now })).toBeUndefined()
  })

  it('that had no time is none, and is left to the worker of the stream', async () => {
    const { work, written } = working()
    expect(await handOver(work, { ...key, taker: 'WORKER', due: now, attempts: 3 })).toBe(true)
    expect(written.map(actionText)).toEqual([
      [
        'update WORK places#t',
        `SET due = "${later(LEASE)}", taker = "STREAM", attempts = 0`,
        'if (attribute_exists(pk)) AND (taker = "WORKER")',
      ],
    ])
    expect(await handOver(working(true).work, { ...key, taker: 'WORKER' })).toBe(false)
  })

  it('of what no stream tells of is made again at once', async () => {
    const { work, written } = working()
    expect(await handOver(work, { ...key, due: now, attempts: 3 })).toBe(true)
    expect(written.map(actionText)).toEqual([
      ['update WORK places#t', `SET due = "${later(0)}", attempts = 0`, 'if attribute_exists(pk)'],
    ])
  })

  it('stops eight seconds before its time is over', () => {
    expect([7999, 8000].map((ms) => isShortOfTime({ timeLeft: () => ms }))).toEqual([true, false])
  })

  it('of a call begins in the time that it may take before the answer, or that is left to it', () => {
    let [ms, left] = [0, 60_000]
    const timeLeft = timeBeforeAnswer({ clock: () => new Date(ms), timeLeft: () => left }, 2000)
    const isShort = () => isShortOfTime({ timeLeft })
    ms = 2000
    const atItsEnd = isShort()
    ms = 2001
    const after = isShort()
    ms = 0
    left = 7999
    expect([atItsEnd, after, isShort()]).toEqual([false, true, true])
  })
})
