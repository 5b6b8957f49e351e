import { describe, expect, it } from 'vitest'
import { StaleRead, StoreBusy } from '../../domain/base/errors.ts'
import { workKey } from '../../domain/table/keys.ts'
import type { OpenStore } from '../../domain/table/openStore.ts'
import type { Action, Cause, Key } from '../../domain/table/store.ts'
import type { WorkStatus } from '../../domain/table/workKinds.ts'
import { addOutcome, type Outcome, untilDown, workThrough } from '../../domain/work/workThrough.ts'

const BEGIN = Date.parse('2026-11-21T09:00:00.000Z')
const momentIn = (seconds: number): string => new Date(BEGIN + seconds * 1000).toISOString()

type Due = Key & WorkStatus & { kind?: string }
/** An entry that is due so many seconds after the start. */
const due = (id: string, seconds: number, status: WorkStatus = {}): Due => ({
  ...workKey('gone-task', id),
  kind: 'gone-task',
  taker: 'WORKER',
  due: momentIn(seconds),
  ...status,
})

type Given = { timeLeft?: number[]; write?: (set: object) => Error | undefined; operation?: string }

/** A run over queues: what was done in which order, what was written to entries, by whom, and the log. */
async function run(queues: Due[][], finish: (id: string) => Promise<void> | void = () => {}, given: Given = {}) {
  const { timeLeft = [], write = () => undefined, ...context } = given
  const [done, written, causes, logged] = [[] as string[], [] as object[], [] as Cause[], [] as object[]]
  const store = {
    causedBy: (cause: Cause) => {
      causes.push(cause)
      return {
        write: async ([action]: readonly Action[]) => {
          const { update, set } = action as { update: Key; set: object }
          const error = write(set)
          if (error) throw error
          written.push({ sk: update.sk, ...set })
        },
      }
    },
  } as unknown as OpenStore
  const outcome = await workThrough(
    {
      store,
      clock: () => new Date(BEGIN),
      // The last one holds from then on.
      timeLeft: () => (timeLeft.length > 1 ? timeLeft.shift() : timeLeft[0]) ?? 60_000,
      log: (line) => logged.push(line),
      ...context,
    },
    { atOnce: 1, reserve: 1000 },
    queues,
    async (_, { sk }) => {
      const id = String(sk.split('#').at(-1))
      done.push(id)
      await finish(id)
    },
  )
  return { outcome, done, written, causes, logged }
}

describe('entries that are due', () => {
  it('are done one after the other in their queue, the longest due first', async () => {
    const queues = [[due('c', 3), due('b', 2)], [], [due('d', 4), due('a', 1)]]
    const { outcome, done, written, logged } = await run(queues)
    expect(done).toEqual(['a', 'd', 'b', 'c'])
    expect(outcome).toEqual({ failed: 0, left: false, finished: 4 })
    expect(written).toHaveLength(4)
    expect(logged).toEqual([])
  })

  it('fail without delaying the others', async () => {
    const { outcome, done, logged } = await run([[due('a', 1, { attempts: 2 }), due('b', 2)], [due('c', 3)]], (id) => {
      if (id === 'a') throw new Error('it cannot be done')
    })
    expect(done).toEqual(['a', 'b', 'c'])
    expect(outcome).toEqual({ failed: 1, left: false, finished: 2 })
    expect(logged).toEqual([expect.objectContaining({ level: 'error', work: 'gone-task', attempts: 3 })])
  })

  it('are left to the process that has taken them, with the rest of their queue', async () => {
    let writes = 0
    const write = () => (++writes === 1 ? new StaleRead() : undefined)
    const { outcome, done } = await run([[due('a', 1), due('b', 2)], [due('c', 3)]], () => {}, { write })
    expect(done).toEqual(['c'])
    expect(outcome).toEqual({ failed: 0, left: false, finished: 1 })
  })

  it('wait for the next run once the database is busy', async () => {
    const busy = () => {
      throw new StoreBusy({ cause: 'ThrottlingException' })
    }
    const { outcome, done, logged } = await run([[due('a', 1), due('b', 2)], [due('c', 3)]], busy)
    expect(done).toEqual(['a'])
    expect(outcome).toEqual({
      failed: 0,
      left: true,
      stopped: expect.objectContaining({ work: 'gone-task', fault: 'StoreBusy' }),
    })
    expect(logged).toEqual([])
  })

  it('are handed over where there is no time: the next of a queue that has begun, and one that is not done', async () => {
    const handed = (id: string) =>
      expect.objectContaining({ sk: workKey('gone-task', id).sk, taker: 'STREAM', attempts: 0 })
    // With the second kept for what comes after, 9 seconds are enough for a step, and 8.999 are not.
    const late = await run([[due('a', 1), due('b', 2)]], () => {}, { timeLeft: [9000, 9000, 8999] })
    expect(late.done).toEqual(['a'])
    expect(late.outcome).toEqual({ failed: 0, left: true, finished: 1 })
    expect(late.written.at(-1)).toEqual(handed('b'))

    const unfinished = await run([[due('a', 1), due('b', 2)]], () => {}, { timeLeft: [9000, 8999] })
    expect(unfinished.done).toEqual(['a'])
    expect(unfinished.outcome).toEqual({ failed: 0, left: true })
    expect(unfinished.written).toEqual([expect.objectContaining({ attempts: 1 }), handed('a')])

    const none = await run([[due('a', 1)], [due('b', 2)]], () => {}, { timeLeft: [8999] })
    expect(none).toMatchObject({ done: [], written: [], outcome: { failed: 0, left: true } })
  })

  it('are done in the name of the call that noted them, or of the function', async () => {
    const cause = { actor_id: 'zoe', request_id: 'r', operation: 'deleteTask' } as unknown as Cause
    const { causes } = await run([[due('a', 1, { cause }), due('b', 2)]])
    expect(causes).toEqual([cause, expect.objectContaining({ operation: 'purge' })])
    const named = await run([[due('a', 1)]], () => {}, { operation: 'finishWork' })
    expect(named.causes).toEqual([expect.objectContaining({ operation: 'finishWork' })])
  })
})

describe('the outcome of a run', () => {
  it('is the sum of its parts, and why the first of them stopped', () => {
    const sum: Outcome = { failed: 1, left: false }
    addOutcome(sum, { failed: 0, left: false })
    expect(sum).toEqual({ failed: 1, left: false })
    addOutcome(sum, { failed: 2, left: true, finished: 3, stopped: { fault: 'first' } })
    addOutcome(sum, { failed: 0, left: false, finished: 4, stopped: { fault: 'second' } })
    expect(sum).toEqual({ failed: 3, left: true, finished: 7, stopped: { fault: 'first' } })
  })

  it('says that the database is down, and nothing else is kept from the caller', async () => {
    const busy = async () => {
      throw new StoreBusy({ cause: 'ThrottlingException' })
    }
    expect(await untilDown({ failed: 0, left: false }, busy)).toEqual({
      failed: 0,
      left: true,
      stopped: expect.objectContaining({ fault: 'StoreBusy' }),
    })
    const fault = async () => {
      throw new Error('a fault of the program')
    }
    await expect(untilDown({ failed: 0, left: false }, fault)).rejects.toThrow('a fault of the program')
  })
})
