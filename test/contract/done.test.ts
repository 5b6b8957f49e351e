import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { users as userRecords } from '../../domain/people/records/user.ts'
import { itemOf } from '../../domain/table/changes.ts'

import { contracts } from '../../schemas/contracts.ts'
import { type Any, call } from '../harness/call.ts'
import { type StoreFault, strike, untilOutOfTime } from '../harness/faults.ts'
import { groupRecord, people, userRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { changes, others, prepare, undoer } from './changes.ts'

// A 503, and a batch item's 429, says what became of the call: that is held against what is stored afterwards.

let service: Service
let undone: () => Promise<string[]>
beforeAll(async () => {
  // The waits between attempts are not tested here.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  service = await startService({
    features: { user_deactivation: true },
    users: [...people, ...others],
    indexes: ['by_id'],
  })
  await prepare()
  undone = await undoer(service)
})

type Case = {
  /** What strikes a call of the store: `writes` is how many transactions were sent before it. */
  fault: (command: 'read' | 'write', writes: number) => StoreFault | undefined
  /** What is answered, if it is a 503: to a single call, of the item of a batch; undefined: to the batch as a whole. */
  done: unknown
  item: readonly [status: number, done: unknown] | undefined
  /** Whether the call may succeed all the same, as it may have no need of what fails. */
  may?: 'succeed'
  /** Whether its time is over before it has an answer. */
  isLate?: true
}

const cases: Record<string, Case> = {
  'no room for any write': {
    fault: (command) => (command === 'write' ? 'throttle' : undefined),
    done: false,
    item: [429, false],
  },
  'the answer to the write is lost, and then there is no room': {
    fault: (command, writes) => (command === 'read' ? undefined : writes === 0 ? 'lostAnswer' : 'throttle'),
    done: 'unknown',
    item: [503, 'unknown'],
  },
  'nothing can be read once the write is on its way': {
    fault: (command, writes) => (command === 'read' && writes > 0 ? 'unreachable' : undefined),
    done: true,
    item: [503, true],
    may: 'succeed',
  },
  'the write has no answer until the time is over': {
    fault: (command) => (command === 'write' ? 'hanging' : undefined),
    done: 'unknown',
    item: undefined,
    isLate: true,
  },
}
/** What is the same wherever it happens. */
const rarer: Record<string, Case> = {
  'no room for any read': {
    fault: (command) => (command === 'read' ? 'throttle' : undefined),
    done: false,
    item: undefined,
  },
  'a read has no answer until the time is over': {
    fault: (command) => (command === 'read' ? 'hanging' : undefined),
    done: false,
    item: undefined,
    isLate: true,
  },
  'nothing listens when something is to be written': {
    fault: (command) => (command === 'write' ? 'unreachable' : undefined),
    done: false,
    item: [503, false],
  },
  'no write is ever answered': {
    fault: (command) => (command === 'write' ? 'lostAnswer' : undefined),
    done: 'unknown',
    item: [503, 'unknown'],
  },
}

async function struck(name: string, { fault, isLate }: Case): Promise<{ reply: Any; changed: string[] }> {
  let writes = 0
  const { heal, isHanging } = strike(service.client, (_n, command) => {
    const isWrite = command.startsWith('TransactWrite')
    const met = fault(isWrite ? 'write' : 'read', writes)
    if (isWrite) writes++
    return met
  })
  const work = () => call(name, changes[name])
  const reply = await (isLate ? untilOutOfTime(isHanging, work) : work()).finally(heal)
  return { reply, changed: await undone() }
}

/** What is answered with more than was read before the write: it cannot be shown when nothing can be read any more. */
const shownByReading = new Set([
  ...['create', 'update', 'lock', 'unlock', 'deactivate', 'reactivate', 'delete', 'restore'].map((act) => `${act}User`),
  ...['updateUsers', 'deleteUsers', 'restoreUsers', 'createGroup', 'archiveGroup'],
])

async function expectTold(name: string, one: Case): Promise<void> {
  const { reply, changed } = await struck(name, one)
  const isItem = reply.status === 200 && contracts[name]?.item !== undefined
  const { status, done } = isItem ? (reply.body.items[0].error ?? reply.body.items[0]) : { ...reply.body, ...reply }
  if (one.may && status < 300) {
    expect(shownByReading).not.toContain(name)
    expect(changed.length).toBeGreaterThan(0)
    return
  }
  if (contracts[name]?.item && one.item) expect([isItem, status, done]).toEqual([true, ...one.item])
  else expect([isItem, status, reply.body.done]).toEqual([false, 503, one.done])
  const reported = isItem ? done : reply.body.done
  if (reported !== 'unknown')
    expect(changed.length > 0, `changed: ${changed.map((it) => it.replace('\n', ' ')).join()}`).toBe(reported)
}

const names = Object.keys(contracts).filter((name) => !/^(get|list|view|preview)/.test(name))

it.each(names)('%s has a change in test/contract/changes.ts', (name) => {
  expect(Object.keys(changes)).toContain(name)
})

describe.each(Object.keys(changes).filter((name) => contracts[name]))('%s', (name) => {
  it('changes something', async () => {
    const { reply, changed } = await struck(name, { fault: () => undefined, done: false, item: undefined })
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
    if (contracts[name]?.item) expect(reply.body.items[0].error).toBeUndefined()
    expect(changed, 'what its request in test/contract/changes.ts changes').not.toEqual([])
  })

  it.each(Object.entries(cases))('%s', async (_case, one) => expectTold(name, one))
})

describe.each(Object.entries(rarer))('%s', (_case, one) => {
  it.each(['updateUser', 'deleteUsers', 'deleteRole', 'finishTaskAssignment'])('%s', async (name) =>
    expectTold(name, one),
  )
})

describe('a call of several writes', () => {
  /** Lets a fault strike transactions, from the nth on that mention a text. */
  const from = (nth: number, text: string, fault: StoreFault) => {
    let seen = 0
    return strike(service.client, (_n, command, input) =>
      command.startsWith('TransactWrite') && JSON.stringify(input).includes(text) && ++seen >= nth ? fault : undefined,
    )
  }
  const outcome = ({ status, body }: Any) => [status, body.done]
  afterEach(() => undone())

  it('a write that only prepares it does not count', async () => {
    const { heal } = from(1, '"USER#new"', 'throttle')
    const { body } = changes['createUser'] as Any
    const attributes = [{ name: 'badge', value: '7' }]
    const reply = await call('createUser', { body: { ...body, attributes } }).finally(heal)
    expect(outcome(reply)).toEqual([503, false])
    expect((await call('getUser', { path: { user_id: 'new' } })).status).toBe(404)
  })

  it('a group that is deleted in part: what becomes of it is not known', async () => {
    const path = { group_id: 'old' }
    const below = Array.from({ length: 30 }, (_, n) => ({ ...groupRecord(`below-${n}`), parent_id: 'old' }))
    await service.store.bulk(below.flatMap(groupItems).map((put) => ({ put })))
    const late = await call('deleteGroup', { path, timeLeft: 7_000 })
    expect(outcome(late)).toEqual([503, 'unknown'])
    expect(late.body.detail).toContain('goes on by itself')
    expect((await call('getGroup', { path })).status).toBe(200)
    const { heal } = from(1, '"GROUP#old"', 'throttle')
    expect(outcome(await call('deleteGroup', { path }).finally(heal))).toEqual([503, false])
    expect((await call('deleteGroup', { path })).status).toBe(204)
    expect((await call('getGroup', { path })).status).toBe(404)
  })

  it('a group is not restored before all have left it', async () => {
    const path = { group_id: 'team' }
    expect((await call('archiveGroup', { path, timeLeft: 7_000 })).status).toBe(200)
    expect(outcome(await call('restoreGroup', { path, timeLeft: 7_000 }))).toEqual([503, false])
    const { heal } = from(1, '"closed"', 'throttle')
    const reply = await call('restoreGroup', { path }).finally(heal)
    expect([reply.status, reply.body.done ?? false]).toEqual([503, false])
    expect((await call('getGroup', { path })).body.status).toBe('ARCHIVED')
    expect((await call('restoreGroup', { path })).status).toBe(200)
  })

  it('recipients who are noted will have the task', async () => {
    const crowd = Array.from({ length: 60 }, (_, n) => ({ id: `c-${n}`, username: `c-${n}` }))
    await service.store.bulk(
      crowd.map((one) => ({ put: itemOf(userRecords, userRecord(one, service.now().toISOString())) })),
    )
    let writes = 0
    const { heal } = strike(service.client, (_n, command) => {
      if (command.startsWith('TransactWrite')) return writes++ === 0 ? undefined : 'throttle'
      return writes > 0 ? 'unreachable' : undefined
    })
    const body = { user_ids: crowd.map(({ id }) => id) }
    const reply = await call('addTaskAssignments', { path: { task_id: 'drill' }, body }).finally(heal)
    expect(outcome(reply)).toEqual([503, true])
    const clock = () => new Date(service.now().getTime() + 180_000)
    await finishOverdue({ store: service.store, clock, timeLeft: () => 60_000, log: () => {} })
    const { assignment_summary } = (await call('getTask', { path: { task_id: 'drill' } })).body
    expect(assignment_summary.total).toBe(63)
  })

  it('a batch whose progress is unknown', async () => {
    const items = ['bob', 'cid', 'plain'].map((id) => ({ id }))
    const { heal, isHanging } = from(1, '"USER#cid"', 'hanging')
    const reply = await untilOutOfTime(isHanging, () => call('deleteUsers', { body: { items } })).finally(heal)
    expect(outcome(reply)).toEqual([503, 'unknown'])
  })
})

describe('reads', () => {
  it.each([
    ['getUser', { path: { user_id: 'bob' } }],
    ['listUsers', {}],
    ['getTask', { path: { task_id: 'drill' } }],
  ])('%s: nothing was done', async (name, request) => {
    for (const fault of ['throttle', 'unreachable', 'lostAnswer'] as const) {
      const { heal } = strike(service.client, () => fault)
      const { status, body } = await call(name, request).finally(heal)
      expect([status, body.done]).toEqual([503, false])
    }
  })
})
