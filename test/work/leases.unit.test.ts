import { beforeEach, describe, expect, it } from 'vitest'
import { StaleRead } from '../../domain/base/errors.ts'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { queueOf, workKey } from '../../domain/table/keys.ts'
import type { OpenStore } from '../../domain/table/openStore.ts'
import type { Action, Range, Store, WritePurpose } from '../../domain/table/store.ts'
import { recordProgress, workEntry } from '../../domain/table/work.ts'
import type { Entry, WorkStatus } from '../../domain/table/workKinds.ts'
import type { Work } from '../../domain/work/steps.ts'
import {
  freeEntries,
  handOver,
  isForStream,
  isOverdue,
  isStuck,
  takeEntry,
  withLease,
} from '../../domain/work/taking.ts'
import { doWorkOfCalls } from '../../domain/work/workOfCalls.ts'
import { actionText } from '../table/written.ts'

const BEGIN = Date.parse('2026-11-21T09:00:00.000Z')
const momentIn = (seconds: number): string => new Date(BEGIN + seconds * 1000).toISOString()

let seconds = 0
let written: Action[][] = []
let purposes: (WritePurpose | undefined)[] = []
let refused: (actions: readonly Action[]) => Error | undefined = () => undefined
beforeEach(() => {
  seconds = 0
  written = []
  purposes = []
  refused = () => undefined
})

const store = {
  write: async (actions: readonly Action[], purpose?: WritePurpose) => {
    const error = refused(actions)
    if (error) throw error
    written.push([...actions])
    purposes.push(purpose)
  },
} as Store
const work = (timeLeft = 60_000): Work => ({
  store,
  now: momentIn(0),
  clock: () => new Date(BEGIN + seconds * 1000),
  timeLeft: () => timeLeft,
})
const entry = (schedule: WorkStatus = {}): Entry<'gone-task'> => ({
  ...workEntry('gone-task', 'x', { task: 't' }, momentIn(0)),
  ...schedule,
})
const other: Action = { delete: { pk: 'A', sk: 'B' } }
/** What was written to the entry itself. */
const own = () =>
  written.flat().flatMap((action) => ('update' in action && action.update.pk === 'WORK' ? [action.set] : []))

describe('an entry of a turn is free', () => {
  const kinds: Record<string, WorkStatus> = {
    call: { taker: 'CALL' },
    stream: { taker: 'STREAM' },
    worker: { taker: 'WORKER', attempts: 1 },
    moved: { taker: 'WORKER', attempts: 0 },
    next: { taker: 'WORKER' },
    back: { taker: 'STREAM', attempts: 0 },
    poison: { taker: 'WORKER', attempts: 3 },
  }
  const free = (names: string[], at: number, parallelToCalls = false) =>
    freeEntries(
      names.map((name) => ({ ...entry(kinds[name]), name })),
      momentIn(at),
      parallelToCalls,
    ).map(({ name }) => name)

  it('if no process works on one of them', () => {
    expect(free(['stream', 'next', 'next', 'back'], 5)).toEqual(['stream', 'next', 'next', 'back'])
    for (const busy of ['worker', 'moved'])
      for (const parallelToCalls of [false, true])
        expect(free([busy, 'next', 'stream'], 5, parallelToCalls)).toEqual([])
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

  it('next to one that waits, as it has failed again and again', () => {
    expect(free(['poison', 'next'], 5)).toEqual(['next'])
  })
})

it('the worker of the stream takes what is left to it; what fails after the third attempt is stuck', () => {
  const takers = [{ taker: 'CALL' }, { taker: 'STREAM' }, { taker: 'WORKER' }, {}] as const
  expect(takers.map(isForStream)).toEqual([false, true, false, false])
  expect([{}, { attempts: 3 }, { attempts: 4 }].map(isStuck)).toEqual([false, false, true])
})

it('entries with another part follow each other, others do not', () => {
  const turns = [
    workKey('recipients', 't', 'a-0'),
    workKey('recipients', 't', 'b-12'),
    workKey('recipients', 'tt', 'a-0'),
  ]
  expect(turns.map(queueOf)).toEqual(['recipients#t', 'recipients#t', 'recipients#tt'])
  expect(queueOf(workKey('rename', 'u'))).toBe('rename#u')
})

describe('an attempt', () => {
  it('is counted; the next one waits for a lease, and from the ninth on longer and longer', async () => {
    const waits: number[] = []
    let one: Entry<'gone-task'> = entry()
    for (let n = 1; n <= 22; n++) {
      one = (await takeEntry(work(), one)) as Entry<'gone-task'>
      expect(one).toMatchObject({ attempts: n, taker: 'WORKER' })
      waits.push((Date.parse(one.due ?? '') - BEGIN) / 1000)
    }
    expect(waits.slice(0, 8)).toEqual(Array(8).fill(10))
    expect(waits.slice(8)).toEqual([
      20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_240, 20_480, 21_600, 21_600, 21_600,
    ])
  })

  it('is made by one of two', async () => {
    refused = () => new StaleRead()
    expect(await takeEntry(work(), entry())).toBeUndefined()
  })

  it('that is put back carries out nothing of the call', async () => {
    for (const one of [entry(), { ...workKey('gone-task', 'x') }]) await handOver(work(), one)
    expect(purposes).toEqual(['housekeeping', 'housekeeping'])
  })
})

describe('a lease', () => {
  it('is renewed by a write when half of it is over, and not before', async () => {
    const { store: writing } = withLease(work(), entry())
    for (seconds of [1, 4.9, 5, 6, 9.9, 10, 15]) await writing.write([other])
    expect(own()).toEqual([{ due: momentIn(15) }, { due: momentIn(20) }, { due: momentIn(25) }])
    const [renewal] = written.flat().filter((action) => 'update' in action)
    expect(renewal && actionText(renewal)).toEqual([
      'update WORK gone-task#x',
      `SET due = "${momentIn(15)}"`,
      `if (attribute_exists(pk)) AND (due = "${momentIn(10)}")`,
    ])
    expect(new Set(purposes)).toEqual(new Set([undefined, 'housekeeping']))
  })

  it('is renewed where the entry is only checked, and passes the purpose of the write on', async () => {
    const { store: writing } = withLease(work(), entry())
    seconds = 6
    await writing.write([{ check: workKey('gone-task', 'x') }], 'part-of-call')
    expect([own(), purposes]).toEqual([[{ due: momentIn(16) }], ['housekeeping', 'part-of-call']])
  })

  it('lasts until the moment that the entry says when it is put or moved', async () => {
    const steps: Action[] = [
      { put: { ...workKey('gone-task', 'x'), due: momentIn(30) } },
      { update: workKey('gone-task', 'x'), set: { due: momentIn(30) } },
    ]
    for (const step of steps) {
      const { store: writing } = withLease(work(), entry())
      written = []
      for (seconds of [6, 24, 25]) await writing.write([seconds === 6 ? step : other])
      expect(own().at(-1)).toEqual({ due: momentIn(35) })
      expect(written).toHaveLength(4)
    }
  })

  it('stays as it is where a step says nothing of it', async () => {
    const { store: writing } = withLease(work(), entry())
    for (const step of [{ set: { left: 1 } }, {}]) await writing.write([{ update: workKey('gone-task', 'x'), ...step }])
    seconds = 5
    await writing.write([other])
    expect(own().at(-1)).toEqual({ due: momentIn(15) })
  })

  it('of an entry that no process has is not renewed', async () => {
    const { due: _due, ...free } = entry()
    seconds = 20
    await withLease(work(), free).store.write([other])
    expect(own()).toEqual([])
  })

  it('is renewed by each step that moves the entry on', async () => {
    const its = entry()
    const { store: writing } = withLease(work(), its)
    seconds = 6
    await writing.write([other, recordProgress(work(), its, { left: 1 })])
    seconds = 10
    await writing.write([other])
    expect(own()).toEqual([{ due: momentIn(16), attempts: 0, left: 1 }])
  })

  it('ends with its entry, or when somebody else has it', async () => {
    const its = entry()
    const { store: writing } = withLease(work(), its)
    await writing.write([{ delete: workKey('gone-task', 'x') }])
    seconds = 20
    await writing.write([other])
    expect(own()).toEqual([])
    const lost = withLease(work(), { ...its, due: momentIn(20) })
    let attempts = 0
    refused = (actions) => (actions.some((action) => 'update' in action) && ++attempts ? new StaleRead() : undefined)
    for (seconds of [21, 40]) await lost.store.write([other])
    expect([own(), attempts]).toEqual([[], 1])
  })
})

describe('what a call notes for itself', () => {
  const fails = async () => {
    throw new Error('not now')
  }
  const handedOver = { taker: 'STREAM', due: momentIn(10), attempts: 0 }

  it('is done, and nothing more is written', async () => {
    const done: string[] = []
    await doWorkOfCalls(
      work(),
      [entry(), entry({ taker: 'STREAM' }), entry({ taker: 'WORKER' })],
      async (_work, { taker }) => {
        done.push(taker ?? '')
      },
    )
    expect([done, written]).toEqual([['CALL'], []])
  })

  it('is handed over when it fails', async () => {
    await doWorkOfCalls(work(), [entry(), entry({ taker: 'WORKER' })], fails)
    expect(own()).toEqual([handedOver])
  })

  it('is handed over when the time is over', async () => {
    await doWorkOfCalls(work(7000), [entry()], fails)
    expect(own()).toEqual([handedOver])
    let left = 10_000
    const done: string[] = []
    await doWorkOfCalls(
      { ...work(), timeLeft: () => left },
      [entry({ due: 'a' }), entry({ due: 'b' })],
      async (_work, { due }) => {
        done.push(due ?? '')
        left = 7000
      },
    )
    expect([done, own()]).toEqual([['a'], [handedOver, handedOver, handedOver]])
  })

  it('is left to the schedule where that fails, too', async () => {
    refused = () => new Error('gone')
    await doWorkOfCalls(work(7000), [entry()], async () => {})
    expect(written).toEqual([])
  })
})

it('the schedule finds more entries than a call has arguments', async () => {
  const [pages, rows] = [20, 8000]
  const query = async ({ after }: Range) => {
    const nth = Number(after?.['nth'] ?? 0)
    const items = Array(rows).fill(entry())
    return { items, count: rows, ...(nth + 1 < pages ? { next: { pk: '', sk: '', nth: nth + 1 } } : {}) }
  }
  const { now: _, ...rest } = work()
  const found = await finishOverdue({ ...rest, store: { query } as unknown as OpenStore, log: () => {} })
  expect(found).toMatchObject({ failed: 0, found: { entries: pages * rows, stuck: 0, overdueSeconds: 0 } })
})
