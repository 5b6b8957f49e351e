import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { groupAssignmentKey, recipientsOf } from '../../domain/table/keys.ts'
import { readAllWork } from '../../domain/table/readWork.ts'
import type { Item } from '../../domain/table/store.ts'
import { noteOnce, workEntry } from '../../domain/table/work.ts'
import type { AnyEntry } from '../../domain/table/workKinds.ts'
import { noteRecipients } from '../../domain/tasks/addRecipients.ts'
import { newWorker } from '../../local/start/workerLoop.ts'
import { audit } from '../harness/audit.ts'
import { call } from '../harness/call.ts'
import { dieAfterWrite, strike } from '../harness/faults.ts'
import { runs } from '../harness/runs.ts'
import { ordinary, people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from '../tasks/work.ts'

// The local service is killed again and again while it has work to do, and started again each time.

const KILLS = 5
/** Seconds after the last kill until all is done. */
const BAR = 20
const crowd = Array.from({ length: 150 }, (_, n) => `c-${n}`)
const title = [{ language: 'en-GB', text: 'Some group' }]

let service: Service
let moment = Date.parse('2026-11-21T09:00:00.000Z')
let id = ''
let serial = 0
beforeAll(async () => {
  service = await startService({ users: [...people, { id: 'author' }, ...crowd.map((user) => ({ id: user }))] })
})

const pass = (seconds: number) => {
  moment += seconds * 1000
  service.setNow(new Date(moment))
}
const now = () => new Date(moment).toISOString()
const create = async (endpoint: string, body: object) => expect((await call(endpoint, { body })).status).toBe(201)

/** A group, one below it, and a user of each. */
async function grouped(group: string): Promise<void> {
  await create('createGroup', { id: group, title, parent_id: 'root' })
  await create('createGroup', { id: `${group}-child`, title, parent_id: group })
  for (const primary_user_group_id of [group, `${group}-child`]) {
    const user = `${primary_user_group_id}-member`
    await create('createUser', {
      ...ordinary,
      id: user,
      username: user,
      first_name: 'Ann',
      last_name: user,
      primary_user_group_id,
    })
  }
}

/** Lets the process die after so many requests to the database. */
async function killed(requests: number, work: () => Promise<unknown>): Promise<void> {
  const { heal } = strike(service.client, (request) => (request === requests ? 'death' : undefined))
  await work().catch(() => undefined)
  heal()
}

/** A call that notes work by its first write, and dies. */
async function diesAtOnce(endpoint: string, group_id: string): Promise<void> {
  const { heal } = dieAfterWrite(service.client, 1)
  await call(endpoint, { path: { group_id } }).catch(() => undefined)
  heal()
}

/** What a process that has just been started does in its first second. */
async function secondOfWork(): Promise<void> {
  const worker = newWorker()
  await Promise.all([worker.look(), worker.schedule()])
  await worker.idle()
}

/** Work that is left to do: not the entry of a deleted group, which only keeps its id for a minute. */
const isToDo = (entry: AnyEntry) => !(entry.kind === 'group' && entry.due === entry.kept)
const toDo = async () => (await readAllWork(service.store)).filter(isToDo)

const primaryOf = async (user_id: string) => (await call('getUser', { path: { user_id } })).body.primary_user_group.id
const statusOf = async (group_id: string) => (await call('getGroup', { path: { group_id } })).status

/** What calls leave as they die: an archived group, a deleted one, a task for many users, and a rename. */
async function noteAll(): Promise<void> {
  await grouped(`${id}-archived`)
  await grouped(`${id}-deleted`)
  await call('archiveGroup', { path: { group_id: `${id}-deleted` } })
  const assignment = groupAssignmentKey(`${id}-archived-member`, 'sales', 'coach')
  await call('createGroupAssignment', {
    path: { group_id: 'sales' },
    body: { user_id: `${id}-archived-member`, role_id: 'coach' },
  })
  await service.store.bulk([{ put: { ...((await service.store.get(assignment)) as Item), by_last_name: 'old' } }])
  await w.newTask(service.store, { id }, { 'c-0': 'NEW' })
  await noteRecipients(service.store, { task: w.task(id), userIds: crowd.slice(1), now: now(), id })
  await service.store.write([noteOnce(workEntry('rename', `${id}-archived-member`, { version: 1 }, now()))])
  await diesAtOnce('archiveGroup', `${id}-archived`)
  await diesAtOnce('deleteGroup', `${id}-deleted`)
}

const kill = fc.record({ requests: fc.integer({ min: 3, max: 30 }), after: fc.integer({ min: 9, max: 14 }) })

it('all noted work is done within 20 seconds of the last of five kills at any moments', async () => {
  let mostAttempts = 0
  await fc.assert(
    fc.asyncProperty(fc.array(kill, { minLength: KILLS, maxLength: KILLS }), async (kills) => {
      id = `k-${++serial}`
      pass(3600)
      await noteAll()
      for (const { requests, after } of kills) {
        pass(after)
        await killed(requests, secondOfWork)
      }
      for (const { attempts = 0 } of await toDo()) mostAttempts = Math.max(mostAttempts, attempts)
      for (let second = 1; second <= BAR; second++) {
        pass(1)
        await secondOfWork()
      }
      expect(await toDo()).toEqual([])
      expect(await primaryOf(`${id}-archived-member`)).toBe('all-users')
      expect(await primaryOf(`${id}-deleted-child-member`)).toBe('all-users')
      expect([await statusOf(`${id}-archived`), await statusOf(`${id}-deleted-child`)]).toEqual([200, 404])
      const held = await service.store.get(groupAssignmentKey(`${id}-archived-member`, 'sales', 'coach'))
      expect(held?.by_last_name).not.toBe('old')
      expect((await service.store.query(recipientsOf(id))).items.length).toBe(crowd.length)
    }),
    { numRuns: runs(8) },
  )
  // Kills have hit the same entries, not others each time.
  expect(mostAttempts).toBeGreaterThan(3)
  await audit(service)
})
