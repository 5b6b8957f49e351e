import { beforeAll, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { audit } from '../harness/audit.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { type Service, startService } from '../harness/service.ts'
import * as r from './rules.ts'

// A rule excepts a user while the purge removes them. The clock of the purge is ahead of the others: only the order of reads
// and writes decides, not the times.

let service: Service
beforeAll(async () => {
  service = await startService({ indexes: ['by_id'] })
  await r.firstRule(service)
  await r.newGroup('team')
})

const HOUR_MS = 3_600_000
const later = (hours: number): Date => new Date(service.now().getTime() + hours * HOUR_MS)
const bring = (file: object) =>
  importDirectory(
    { store: service.store, now: service.now().toISOString(), newId: () => 'n', clock: service.now },
    file,
  )

let serial = 0
let hours = 0
/** Brings users pending deletion whose deadlines are an hour apart. */
async function newLeavers(count: number): Promise<string[]> {
  const users = Array.from({ length: count }, () => {
    const id = `leaver-${++serial}`
    const deletion_at = later(serial).toISOString()
    return { id, username: id, first_name: 'L', last_name: 'L', status: 'PENDING_DELETION', deletion_at }
  })
  await bring({ users })
  return users.map(({ id }) => id)
}

/** Removes the user whose deadline is next. */
async function purgeNext(): Promise<void> {
  const now = later(++hours)
  expect(await purgeUsers({ store: service.store, clock: () => now, timeLeft: () => 60_000, log: () => {} })).toEqual({
    purged: 1,
    failed: 0,
    left: false,
    finished: 1,
  })
}

const exceptedBy = async (rule: string): Promise<string[]> => (await r.readRule(rule)).except_user_ids
const except = (rule: string, user: string) => r.updateRule(rule, { except_user_ids: ['plain', user] })

/** Lets others act before the nth request of a piece of work; false if it makes fewer. */
async function beforeRequest(nth: number, others: () => Promise<unknown>, work: () => Promise<unknown>) {
  let requests = 0
  let isTurnOfOthers = false
  service.client.middlewareStack.add(
    (next) => async (args) => {
      if (!isTurnOfOthers && ++requests === nth) {
        isTurnOfOthers = true
        await others()
        isTurnOfOthers = false
      }
      return next(args)
    },
    { step: 'initialize', name: 'beforeRequest' },
  )
  await work().finally(() => service.client.middlewareStack.remove('beforeRequest'))
  return requests >= nth
}

/**
 * Holds back the first transaction of a change of a rule, which has read that a user exists, until the purge is about to make
 * its nth request; false if the purge makes fewer: then until it has ended.
 */
async function writtenBefore(nth: number, change: () => Promise<unknown>): Promise<boolean> {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold = (): Promise<void> => {
    held.resolve()
    return released.promise
  }
  const changing = meanwhile(service, hold, change)
  const release = (): Promise<unknown> => {
    released.resolve()
    return changing
  }
  await held.promise
  const isReached = await beforeRequest(nth, release, purgeNext)
  await release()
  return isReached
}

const AFTER_THE_PURGE = 1_000

describe('a rule that excepts a user loses them by their purge', () => {
  it('if it is changed before any request of the purge, or after the last one', async () => {
    await r.createRule('always', 'team')
    const leavers = await newLeavers(20)
    let isReached = true
    for (let nth = 1; isReached; nth++) {
      const leaver = leavers.shift() ?? ''
      isReached = await writtenBefore(nth, async () => expect((await except('always', leaver)).status).toBe(200))
      expect(await exceptedBy('always'), `before request ${nth}`).toEqual(['plain'])
    }
    for (const _ of leavers) await purgeNext()
  })

  const excepting = (id: string) => ({ except_user_ids: ['plain', id] })
  it.each<[string, (id: string) => Promise<unknown>, (id: string) => Promise<unknown>]>([
    ['created', async () => {}, (id) => r.createRule(id, 'team', excepting(id))],
    ['disabled and changed', (id) => r.createRule(id, 'team', { enabled: false }), (id) => except(id, id)],
    ['imported', async () => {}, (id) => bring({ user_group_rules: [r.ruleBody(id, 'team', excepting(id))] })],
    [
      'changed by an import',
      (id) => r.createRule(id, 'team'),
      (id) => bring({ user_group_rules: [r.ruleBody(id, 'team', excepting(id))] }),
    ],
  ])('if it is %s after the purge', async (_how, before, change) => {
    const [id = ''] = await newLeavers(1)
    await before(id)
    await writtenBefore(AFTER_THE_PURGE, () => change(id))
    await r.later(service)
    expect(await exceptedBy(id)).toEqual(['plain'])
  })

  it('if there was no rule before', async () => {
    service.setNow(later(hours))
    await audit(service)
    service = await startService({ indexes: ['by_id'] })
    await r.newGroup('team')
    const [id = ''] = await newLeavers(1)
    // The first rule is applied a minute later. By then all clocks show that the user is gone.
    service.setNow(new Date(later(serial).getTime() - 1))
    hours = 0
    await writtenBefore(4, () => r.createRule('one', 'team', excepting(id)))
    expect(await exceptedBy('one')).toEqual(['plain', id])
    await r.later(service)
    expect(await exceptedBy('one')).toEqual(['plain'])
    await audit(service)
  })
})
