import { beforeEach, describe, expect, it } from 'vitest'
import { StaleRead } from '../../domain/base/errors.ts'
import { doOwn, freeIn, isOverdue, leased, takeUp } from '../../domain/table/leases.ts'
import type { Action, Store } from '../../domain/table/store.ts'
import { type Entry, moveOn, type Schedule, turnOf, type Work, workEntry, workKey } from '../../domain/table/work.ts'

const BEGIN = Date.parse('2026-11-21T09:00:00.000Z')
const momentIn = (seconds: number): string => new Date(BEGIN + seconds * 1000).toISOString()

let seconds = 0
let written: Action[][] = []
let refused: (actions: readonly Action[]) => Error | undefined = () => undefined
beforeEach(() => {
  seconds = 0
  written = []
  refused = () => undefined
})

const store = {
  write: async (actions: readonly Action[]) => {
    const error = refused(actions)
    if (error) throw error
    written.push([...actions])
  },
} as Store
const work = (timeLeft = 60_000): Work => ({
  store,
  now: momentIn(0),
  clock: () => new Date(BEGIN + seconds * 1000),
  timeLeft: () => timeLeft,
})
const entry = (schedule: Schedule = {}): Entry<'gone-task'> => ({
  ...workEntry('gone-task', 'x', { task: 't' }, momentIn(0)),
  ...schedule,
})
const other: Action = { delete: { pk: 'A', sk: 'B' } }
/** What was written to the entry itself. */
const own = () =>
  written.flat().flatMap((action) => ('update' in action && action.update.pk === 'WORK' ? [action.set] : []))

describe('an entry of a turn is free', () => {
  const kinds: Record<string, Schedule> = {
    call: { taker: 'CALL' },
    stream: { taker: 'STREAM' },
    worker: { taker: 'WORKER', attempts: 1 },
    moved: { taker: 'WORKER', attempts: 0 },
    next: { taker: 'WORKER' },
    poison: { taker: 'WORKER', attempts: 3 },
  }
  const free = (names: string[], at: number, besideCalls = false) =>
    freeIn(
      names.map((name) => ({ ...entry(kinds[name]), name })),
      momentIn(at),
      besideCalls,
    ).map(({ name }) => name)

  it('where nobody is at one of them', () => {
    expect(free(['stream', 'next', 'next'], 5)).toEqual(['stream', 'next', 'next'])
    for (const busy of ['worker', 'moved']) expect(free([busy, 'next', 'stream'], 5)).toEqual([])
  })

  it('where a call is at one of them, to the worker of the stream only', () => {
    expect(free(['call', 'stream'], 5)).toEqual([])
    expect(free(['call', 'stream'], 5, true)).toEqual(['stream'])
  })

  it('when its lease is over', () => {
    const all = Object.keys(kinds)
    expect(free(all, 10)).toEqual(all)
    expect(isOverdue(entry(), momentIn(9.999))).toBe(false)
    expect(isOverdue(entry(), momentIn(10))).toBe(true)
    expect(isOverdue({}, momentIn(0))).toBe(true)
  })

  it('beside one that waits as it has failed again and again', () => {
    expect(free(['poison', 'next'], 5)).toEqual(['next'])
  })
})

it('entries with another part follow each other, others do not', () => {
  const turns = [
    workKey('recipients', 't', 'a-0'),
    workKey('recipients', 't', 'b-12'),
    workKey('recipients', 'tt', 'a-0'),
  ]
  expect(turns.map(turnOf)).toEqual(['recipients#t', 'recipients#t', 'recipients#tt'])
  expect(turnOf(workKey('rename', 'u'))).toBe('rename#u')
})

describe('an attempt', () => {
  it('is counted, and from the third on the next one waits longer and longer', async () => {
    const waits: number[] = []
    let one: Entry<'gone-task'> = entry()
    for (let n = 1; n <= 16; n++) {
      one = (await takeUp(work(), one)) as Entry<'gone-task'>
      expect(one).toMatchObject({ attempts: n, taker: 'WORKER' })
      waits.push((Date.parse(one.due ?? '') - BEGIN) / 60_000)
    }
    const [first, second, ...others] = waits
    expect([first, second]).toEqual([1 / 6, 1 / 6])
    expect(others).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360, 360, 360, 360])
  })

  it('is made by one of two', async () => {
    refused = () => new StaleRead()
    expect(await takeUp(work(), entry())).toBeUndefined()
  })
})

describe('a lease', () => {
  it('is renewed by a write when half of it is over, and not before', async () => {
    const { store: writing } = leased(work(), entry())
    for (seconds of [1, 4.9, 5, 6, 9.9, 10, 15]) await writing.write([other])
    expect(own()).toEqual([{ due: momentIn(15) }, { due: momentIn(20) }, { due: momentIn(25) }])
  })

  it('is renewed by each step that moves the entry on', async () => {
    const its = entry()
    const { store: writing } = leased(work(), its)
    seconds = 6
    await writing.write([other, moveOn(work(), its, { left: 1 })])
    seconds = 10
    await writing.write([other])
    expect(own()).toEqual([{ due: momentIn(16), attempts: 0, left: 1 }])
  })

  it('ends with its entry, or when somebody else has it', async () => {
    const its = entry()
    const { store: writing } = leased(work(), its)
    await writing.write([{ delete: workKey('gone-task', 'x') }])
    seconds = 20
    await writing.write([other])
    expect(own()).toEqual([])
    const lost = leased(work(), { ...its, due: momentIn(20) })
    refused = (actions) => (actions.some((action) => 'update' in action) ? new StaleRead() : undefined)
    for (seconds of [21, 40]) await lost.store.write([other])
    expect(own()).toEqual([])
  })
})

describe('what a call notes for itself', () => {
  const fails = async () => {
    throw new Error('not now')
  }
  const handedOver = { taker: 'STREAM', due: momentIn(10), attempts: 0 }

  it('is done, and nothing more is written', async () => {
    const done: string[] = []
    await doOwn(work(), [entry(), entry({ taker: 'STREAM' }), entry({ taker: 'WORKER' })], async (_work, { taker }) => {
      done.push(taker ?? '')
    })
    expect([done, written]).toEqual([['CALL'], []])
  })

  it('is handed over when it fails', async () => {
    await doOwn(work(), [entry(), entry({ taker: 'WORKER' })], fails)
    expect(own()).toEqual([handedOver])
  })

  it('is handed over when the time is over', async () => {
    await doOwn(work(7000), [entry()], async () => {})
    expect(own()).toEqual([handedOver])
  })

  it('is left to the schedule where that fails, too', async () => {
    refused = () => new Error('gone')
    await doOwn(work(7000), [entry()], async () => {})
    expect(written).toEqual([])
  })
})
