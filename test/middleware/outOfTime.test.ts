import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import * as keys from '../../domain/table/keys.ts'
import { dump } from '../harness/audit.ts'
import { call } from '../harness/call.ts'
import { untilOutOfTime } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// A function that has answered is frozen, and goes on with whatever it was at when the next call wakes it up.

const crowd = ['read', 'write', 'next'].flatMap((prefix) => itemsOf(prefix).map(({ id }) => ({ id, username: id })))
let service: Service
beforeAll(async () => {
  service = await startService({ users: [...people, ...crowd], indexes: 'none' })
})

/** A hundred users for a test to delete. */
function itemsOf(prefix: string): { id: string }[] {
  return Array.from({ length: 100 }, (_, n) => ({ id: `${prefix}-${n}` }))
}

type Sent = 'read' | 'write'

/** Keeps back the database's answers to these, until they are let go; counts what is sent. */
function keepingBack(what: Sent) {
  const sent: Record<Sent, number> = { read: 0, write: 0 }
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>()
  const { requestHandler } = service.client.config
  const handle = requestHandler.handle.bind(requestHandler)
  const done: Promise<unknown>[] = []
  const kept = { answers: 0, others: 0 }
  requestHandler.handle = async (request, options) => {
    const kind = /Write/.test(request.headers['x-amz-target'] ?? '') ? 'write' : 'read'
    sent[kind]++
    const work = handle(request, options)
    done.push(work)
    if (kind !== what) kept.others++
    const answer = await work
    if (kind !== what) kept.others--
    else {
      kept.answers++
      await released
    }
    return answer
  }
  const heal = () => {
    requestHandler.handle = handle
  }
  const isWaiting = () => kept.answers > 0 && kept.others === 0
  return { sent, done, letGo, heal, isWaiting }
}

describe('a call whose time is over', () => {
  it.each<Sent>(['read', 'write'])('sends nothing more to the database, where it waits for a %s', async (what) => {
    const items = itemsOf(what)
    const { sent, done, letGo, heal, isWaiting } = keepingBack(what)
    const { status, body } = await untilOutOfTime(isWaiting, () => call('deleteUsers', { body: { items } }))
    expect([status, body.error_code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
    const then = { ...sent }
    expect(then.write > 0).toBe(what === 'write')
    expect(then.write).toBeLessThan(items.length)
    letGo()
    await Promise.allSettled(done)
    await wait(500)
    heal()
    expect(sent).toEqual(then)
    const due = (await dump(service)).filter((item) => item.pk === 'USERS' && keys.isDeadlineItem(item))
    const gone = due.filter((entry) => keys.userOfDeadlineItem(entry).startsWith(`${what}-`))
    // What was sent is called off, too: on a busy machine before the database has come to it.
    expect(gone.length).toBeLessThanOrEqual(then.write)
  })

  it('says nothing of the next one, which finds the rest to do', async () => {
    const items = itemsOf('next')
    const { done, letGo, heal, isWaiting } = keepingBack('write')
    const { status: late } = await untilOutOfTime(isWaiting, () => call('deleteUsers', { body: { items } }))
    expect(late).toBe(503)
    letGo()
    await Promise.allSettled(done)
    heal()
    const { status, body } = await call('deleteUsers', { body: { items } })
    expect(status).toBe(200)
    expect(new Set(body.items.map((item: { status: number }) => item.status))).toEqual(new Set([200]))
  })
})
