import { beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { dieAfterWrite } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from './work.ts'

// What recipients see of a removal that does not fit into one transaction, while an instance remembers that there was none.

const crowd = Array.from({ length: 100 }, (_, n) => `c-${String(n).padStart(2, '0')}`)
const recipients = crowd.map((id) => ({ id, type: 'USER' }))
/** Recipients whose assignments are deleted first, last, or not at all. */
const watched = ['c-00', 'c-50', 'c-95', 'c-96', 'c-97', 'c-98', 'c-99']
let service: Service
beforeAll(async () => {
  service = await startService({
    remembers: true,
    indexes: ['by_created_at', 'find'],
    users: [...people, ...['author', ...crowd].map((id) => ({ id, first_name: 'Fi', last_name: id }))],
  })
})

const pending = async () => (await service.store.query({ hash: 'WORK', consistent: true })).items.length
const summed = async (as: string): Promise<number> => (await call('getOwnTaskSummary', { as })).body.total
const listed = async (as: string): Promise<number> =>
  (await call('listOwnTaskAssignments', { query: 'distribution_kind=RECEIVED', as })).body.assignments.length
const all = (count: (as: string) => Promise<number>) => Promise.all(watched.map(count))
const later = (ms: number) => service.setNow(new Date(service.now().getTime() + ms))

const ways: [string, (id: string) => Promise<Any>, left: number[]][] = [
  ['a task is deleted', (task_id) => call('deleteTask', { path: { task_id }, as: 'author' }), [0, 0, 0, 0, 0, 0, 0]],
  ['99 recipients lose a task', (id) => w.removeMany(id, crowd.slice(0, 99)), [0, 0, 0, 0, 0, 0, 1]],
]

describe.each(ways)('%s', (_what, remove, left) => {
  it('for all of them, or for none, a second later at most, wherever its process dies', async () => {
    let most = 0
    for (let n = 1, isOver = false; !isOver && n < 40; n++) {
      const id = `t-${n}`
      await call('createTask', { body: { id, title: 'T', recipients }, as: 'author' })
      await w.later(service)
      expect(await all(summed)).toEqual(watched.map(() => 1))
      const death = dieAfterWrite(service.client, n)
      await remove(id).finally(death.heal)
      isOver = !death.isOver()
      most = Math.max(most, await pending())
      later(1000)
      const seen = await all(summed)
      expect(seen).toEqual(await all(listed))
      expect([watched.map(() => 1), left]).toContainEqual(seen)
      expect(await all(summed), 'and stays so').toEqual(seen)
      await w.later(service)
      expect(await pending()).toBe(0)
      later(1000)
      expect(await all(summed)).toEqual(seen)
      await call('deleteTask', { path: { task_id: id }, as: 'author' })
      await w.later(service)
      later(1000)
    }
    expect(most, 'a removal was under way').toBeGreaterThan(0)
    await audit(service)
  })
})

describe('the summary of an instance', () => {
  it('reads the work of all once a second, and in each call while a removal is under way', async () => {
    const asked = (requests: Any[]) => requests.filter((input) => JSON.stringify(input).includes('WORK')).length
    const requests: Any[] = []
    service.client.middlewareStack.add(
      (next) => async (args) => {
        requests.push(args.input)
        return next(args)
      },
      { step: 'initialize', name: 'watch' },
    )
    const readsOfWork = async (): Promise<number> => {
      requests.length = 0
      for (const as of ['c-00', 'c-01', 'c-02']) await summed(as)
      return asked(requests)
    }
    await call('createTask', { body: { id: 'w', title: 'T', recipients }, as: 'author' })
    later(1000)
    expect(await readsOfWork()).toBe(1)
    later(999)
    expect(await readsOfWork()).toBe(0)
    later(1)
    expect(await readsOfWork()).toBe(1)
    const { heal } = dieAfterWrite(service.client, 1)
    await w.removeMany('w', crowd.slice(0, 99)).finally(heal)
    expect(await pending()).toBe(1)
    later(1000)
    expect(await readsOfWork()).toBe(3)
    await w.later(service)
    expect(await readsOfWork()).toBe(1)
    service.client.middlewareStack.remove('watch')
  })
})
