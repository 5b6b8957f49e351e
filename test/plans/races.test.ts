import { beforeAll, expect, it, test } from 'vitest'
import { decided } from '../../domain/plans/change.ts'
import { userList } from '../../domain/table/keys.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { betweenReads, meanwhile } from '../harness/meanwhile.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { applied, apply, cancel, changes, checked, create, get, selected, undone, work } from './plans.ts'

// What others do between a read and a write of the work on a plan, and workers that do the same work at once.

const crew = Array.from({ length: 12 }, (_, n) => `r-${String(n).padStart(2, '0')}`)
let service: Service
beforeAll(async () => {
  service = await startService({
    users: [...people, ...crew.map((id) => ({ id, username: id, tags: [{ name: 'crew' }] }))],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
})

const user = async (user_id: string): Promise<Any> => (await call('getUser', { path: { user_id } })).body
const lockAll = { action: 'LOCK' }
const tag = { update: { tags: { add: ['seen'] } } }
/** What the transaction of a change names, and no other one that is written while the plan is applied. */
const changeOf = ({ id }: Any, number: number) => `"Z#${id}#${String(number).padStart(7, '0')}"`
/** Lets another worker take over: the slow one renews its lease as long as other changes of it are under way. */
async function untilTaken(
  { now, setNow }: Service,
  work: () => Promise<unknown>,
  isTaken: () => Promise<boolean>,
): Promise<void> {
  do {
    setNow(new Date(now().getTime() + 11_000))
    await work()
  } while (!(await isTaken()))
}

const eventsOf = async (user_id: string) =>
  (await call('listUserEvents', { path: { user_id }, query: { page_limit: 100 } })).body.events

test('workers that check, make and take back at once do everything once', async () => {
  const { body } = await create({ kind: 'SELECTION', select: { tag: 'crew' }, change: tag })
  await Promise.all([work(service, body.id), work(service, body.id), work(service, body.id)])
  const plan = await get(body.id)
  expect(plan).toMatchObject({ state: 'READY', counts: { rows: 12, planned: 12 } })
  expect((await changes(body.id)).map(({ number }) => number)).toEqual(crew.map((_, n) => n + 1))
  await apply(body.id, 12)
  await Promise.all([work(service, body.id), work(service, body.id), work(service, body.id)])
  expect(await get(body.id)).toMatchObject({ state: 'DONE', counts: { done: 12, skipped: 0, failed: 0 } })
  for (const id of crew) expect((await eventsOf(id)).map(({ actor }: Any) => actor.operation)).toEqual(['applyPlan'])
  const undo = (await create({ kind: 'UNDO', plan_id: body.id })).body
  await Promise.all([work(service, undo.id), work(service, undo.id)])
  await apply(undo.id, 12)
  await Promise.all([work(service, undo.id), work(service, undo.id)])
  expect(await get(undo.id)).toMatchObject({ state: 'DONE', counts: { planned: 12, done: 12, skipped: 0 } })
  await audit(service)
})

test('a worker that is slow makes no change of a plan that was cancelled and counted meanwhile', async () => {
  const plan = await selected(service, { tag: 'crew' }, lockAll)
  await apply(plan.id, 12)
  await meanwhile(
    service,
    async () => {
      await cancel(plan.id)
      await work(service, plan.id)
    },
    () => work(service, plan.id),
    changeOf(plan, 3),
  )
  const ended = await get(plan.id)
  expect(ended.state).toBe('CANCELLED')
  const locked = (await Promise.all(crew.map(user))).filter(({ status }) => status === 'LOCKED')
  expect(ended.counts.done).toBe(locked.length)
  expect((await changes(plan.id, { outcome: 'DONE' })).length).toBe(locked.length)
  if (locked.length > 0) await undone(service, plan.id)
  await audit(service)
})

test('a worker that is slow does not say of a change that another one has made that it was skipped', async () => {
  const plan = await selected(service, { tag: 'crew' }, lockAll)
  await apply(plan.id, 12)
  const other = () =>
    untilTaken(
      service,
      () => work(service, plan.id),
      async () => (await get(plan.id)).state === 'DONE',
    )
  await meanwhile(service, other, () => work(service, plan.id), changeOf(plan, 1))
  expect(await get(plan.id)).toMatchObject({ state: 'DONE', counts: { done: 12, skipped: 0 } })
  expect(await changes(plan.id, { outcome: 'DONE' })).toHaveLength(12)
  await undone(service, plan.id)
  await audit(service)
})

test('a worker that is slow does not count a slice again that others have counted long ago', async () => {
  const many = await startService({
    users: [...people, ...Array.from({ length: 95 }, (_, n) => ({ id: `m-${n}`, username: `m-${n}` }))],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
  const plan = await selected(many, { search_term: 'm-' }, tag)
  expect(plan.counts.planned).toBe(95)
  await apply(plan.id, 95)
  await meanwhile(
    many,
    async () => {
      // Another worker counts both slices, and dies before the plan is done.
      const { heal, calls } = strike(many.client, (_n, command, input) => {
        const text = JSON.stringify(input)
        const isLast =
          command.startsWith('TransactWrite') && text.includes('"SLICE#') && !text.includes('"SLICE#0000001"')
        return isLast ? 'death' : undefined
      })
      const dies = () => work(many, plan.id, () => {}).catch(() => undefined)
      await untilTaken(
        many,
        dies,
        async () => calls.names.filter((name) => name.startsWith('TransactWrite')).length > 5,
      )
      heal()
    },
    () => work(many, plan.id),
    '"SLICE#0000001"',
  )
  many.setNow(new Date(many.now().getTime() + 11_000))
  await work(many, plan.id)
  expect(await get(plan.id)).toMatchObject({ state: 'DONE', counts: { done: 95, skipped: 0, failed: 0 } })
  await audit(many)
  service.activate()
})

test('a change that is made while its plan is counted after a cancellation counts', async () => {
  const plan = await selected(service, { tag: 'crew' }, tag)
  await apply(plan.id, 12)
  await cancel(plan.id)
  const made = decided(plan.id, { user: 'r-05', number: 6 }, 'DONE')
  await meanwhile(
    service,
    () => service.store.write([made]),
    () => work(service, plan.id),
    '"closed"',
  )
  expect((await get(plan.id)).counts.done).toBe(1)
  await audit(service)
})

it.each<[what: string, select: object, act: () => Promise<unknown>, undo: () => Promise<unknown>]>([
  [
    'lose the tag that chose them',
    { tag: 'crew' },
    () => call('updateUser', { path: { user_id: 'r-00' }, body: { tags: [] } }),
    () => call('updateUser', { path: { user_id: 'r-00' }, body: { tags: [{ name: 'crew' }] } }),
  ],
  [
    'are locked by somebody else',
    { tag: 'crew' },
    () => call('lockUser', { path: { user_id: 'r-00' } }),
    () => call('unlockUser', { path: { user_id: 'r-00' } }),
  ],
])('users who %s between the read and the write are skipped', async (_what, select, act, back) => {
  const plan = await selected(service, select, lockAll)
  await apply(plan.id, 12)
  await meanwhile(service, act, () => work(service, plan.id), changeOf(plan, 1))
  expect(await get(plan.id)).toMatchObject({ state: 'DONE', counts: { done: 11, skipped: 1 } })
  expect((await changes(plan.id))[0]).toMatchObject({ outcome: 'SKIPPED', error: { code: 'CHANGED_SINCE' } })
  await undone(service, plan.id)
  await back()
  await audit(service)
})

test('a user whom somebody else locks before the operation reads them is skipped: the plan has not done it', async () => {
  const plan = await selected(service, { user_ids: ['r-00'] }, lockAll)
  await apply(plan.id, 1)
  let [reads, isActing] = [0, false]
  const isUser = (input: object): boolean => JSON.stringify(input).includes('{"pk":"USER#r-00","sk":"USER"}')
  await betweenReads(
    service,
    [(_, input) => isUser(input) && ++reads === 1, (_, input) => !isActing && reads > 0 && isUser(input)],
    async () => {
      isActing = true
      await call('lockUser', { path: { user_id: 'r-00' } })
      isActing = false
    },
    () => work(service, plan.id),
  )
  expect(await get(plan.id)).toMatchObject({ state: 'DONE', counts: { done: 0, skipped: 1 } })
  expect(await changes(plan.id)).toMatchObject([{ outcome: 'SKIPPED', error: { code: 'CHANGED_SINCE' } }])
  await call('unlockUser', { path: { user_id: 'r-00' } })
  await audit(service)
})

test('a user who leaves the group that chose them, or changes, between the read and the write is skipped', async () => {
  const path = { group_id: 'all-users' }
  const role_id = 'group-owner'
  const give = (user_id: string) => call('createGroupAssignment', { path, body: { user_id, role_id } })
  const take = (user_id: string) => call('deleteGroupAssignment', { path: { ...path, user_id, role_id } })
  await give('r-00')
  await give('r-01')
  const select = { user_group_id: 'all-users', role_id }
  const plan = await selected(service, select, lockAll)
  expect(plan.counts.planned).toBe(2)
  await apply(plan.id, 2)
  await meanwhile(
    service,
    () => take('r-00'),
    () => work(service, plan.id),
    changeOf(plan, 1),
  )
  expect(await get(plan.id)).toMatchObject({ state: 'DONE', counts: { done: 1, skipped: 1 } })
  await undone(service, plan.id)
  // The write of an assignment does not touch the user: that they are as they were judged is a condition by itself.
  const unassign = await selected(
    service,
    { tag: 'crew', user_group_id: 'all-users', role_id },
    { unassign: { user_group_id: 'all-users', role_id } },
  )
  expect(unassign.counts.planned).toBe(1)
  await apply(unassign.id, 1)
  const untag = () => call('updateUser', { path: { user_id: 'r-01' }, body: { tags: [] } })
  await meanwhile(service, untag, () => work(service, unassign.id), changeOf(unassign, 1))
  expect(await get(unassign.id)).toMatchObject({ state: 'DONE', counts: { done: 0, skipped: 1 } })
  await take('r-01')
  await call('updateUser', { path: { user_id: 'r-01' }, body: { tags: [{ name: 'crew' }] } })
  await audit(service)
})

test('a plan that is applied while a worker puts it to sleep is not forgotten', async () => {
  const { body } = await create({ kind: 'SELECTION', select: { user_ids: ['r-02'] }, change: lockAll })
  // The check ends by moving the wake-up to the day when the plan expires: the only transaction of it with a check.
  await meanwhile(
    service,
    () => apply(body.id, 1),
    () => work(service, body.id),
    '"ConditionCheck"',
  )
  expect(await get(body.id)).toMatchObject({ state: 'DONE', counts: { done: 1 } })
  await undone(service, body.id)
})

test('plans that are created at once are all listed, and one undo at a time is made', async () => {
  const made = await Promise.all(
    crew.slice(0, 4).map((id) => create({ kind: 'SELECTION', select: { user_ids: [id] }, change: lockAll })),
  )
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  await audit(service)
  for (const { body } of made) await cancel(body.id)
  const plan = await applied(
    service,
    await checked(service, { kind: 'SELECTION', select: { user_ids: ['r-03'] }, change: lockAll }),
  )
  const undos = await Promise.all([1, 2, 3].map(() => create({ kind: 'UNDO', plan_id: plan.id })))
  expect(undos.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  const { body } = undos.find(({ status }) => status === 201) as Any
  await work(service, body.id)
  await applied(service, await get(body.id))
  await audit(service)
})

test('a user who moves from one list to another while both are read is not missed', async () => {
  await call('lockUser', { path: { user_id: 'r-03' } })
  const { body } = await create({ kind: 'SELECTION', select: { all: true }, change: tag })
  const readsList =
    (status: string) =>
    (command: string, { IndexName, ExpressionAttributeValues: values }: Any) =>
      command.startsWith('Query') && IndexName === 'by_id' && values[':hash'] === userList(status, 'USER')
  await betweenReads(
    service,
    [readsList('ACTIVE'), readsList('LOCKED')],
    () => call('unlockUser', { path: { user_id: 'r-03' } }),
    () => work(service, body.id),
  )
  const plan = await get(body.id)
  expect(plan.state).toBe('READY')
  expect((await changes(body.id)).filter(({ user }) => user.id === 'r-03')).toHaveLength(1)
  await cancel(body.id)
})

test('of a plan that is cancelled, no more than the changes under way are made', async () => {
  const plan = await selected(service, { tag: 'crew' }, tag)
  await apply(plan.id, 12)
  await meanwhile(
    service,
    () => cancel(plan.id),
    () => work(service, plan.id),
    changeOf(plan, 1),
  )
  await work(service, plan.id)
  expect(await get(plan.id)).toMatchObject({ state: 'CANCELLED', counts: { planned: 12, done: 8 } })
  expect((await changes(plan.id, { outcome: 'PLANNED' })).map(({ number }) => number)).toEqual([9, 10, 11, 12])
  await undone(service, plan.id)
  await audit(service)
})

test('a plan cancelled amid its first slice is taken back, but only once it is known what was done', async () => {
  const plan = await selected(service, { tag: 'crew' }, lockAll)
  await apply(plan.id, 12)
  const { heal } = strike(service.client, (_call, _command, input) =>
    JSON.stringify(input).includes(changeOf(plan, 10)) && JSON.stringify(input).includes('TransactItems')
      ? 'death'
      : undefined,
  )
  await work(service, plan.id, () => {})
    .catch(() => {})
    .finally(heal)
  const locked = async () => (await Promise.all(crew.map(user))).filter(({ status }) => status === 'LOCKED').length
  expect(await locked()).toBeGreaterThan(0)
  expect((await cancel(plan.id)).body).toMatchObject({ state: 'CANCELLED', counts: { done: 0 } })
  const { status, body: undo } = await create({ kind: 'UNDO', plan_id: plan.id })
  expect(status).toBe(201)
  await work(service, undo.id)
  expect((await get(undo.id)).state).toBe('CHECKING')
  const done = await locked()
  service.setNow(new Date(service.now().getTime() + 11_000))
  await work(service, plan.id)
  expect((await get(plan.id)).counts.done).toBe(done)
  service.setNow(new Date(service.now().getTime() + 11_000))
  await work(service, undo.id)
  expect(await applied(service, await get(undo.id))).toMatchObject({ state: 'DONE', counts: { done } })
  expect(await locked()).toBe(0)
  await audit(service)
})
