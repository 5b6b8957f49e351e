import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { finishHandedOver } from '../../domain/maintenance/finishWork.ts'
import { groupAssignments } from '../../domain/people/records/groupAssignment.ts'
import { beforeAnswer } from '../../domain/people/rules/applyRules.ts'
import { rulesWorkKey } from '../../domain/people/rules/rulesWork.ts'
import { userCountKey } from '../../domain/table/keys.ts'
import { readAllWork, readWork } from '../../domain/table/readWork.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { strike, writesAmong } from '../harness/faults.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { ordinary, people as someone } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { undoLater } from '../harness/undo.ts'
import * as r from './rules.ts'

let service: Service
let serial = 0
/** A group that no other test has. */
let group = ''
beforeAll(async () => {
  service = await startService({ indexes: ['by_id'] })
  await r.firstRule(service)
})
beforeEach(async () => {
  group = await r.newGroup(`g-${++serial}`)
})

/** A department that no other test has. */
const ownDepartment = (): string => `Department ${serial}`
const matchingIt = () => ({ conditions: [r.inDepartment(ownDepartment())] })
const bring = (file: object) =>
  importDirectory(
    { store: service.store, now: service.now().toISOString(), newId: () => 'n', clock: service.now },
    file,
  )
async function people(count: number, value = ownDepartment()): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `p-${serial}-${value.length}-${n}`)
  const users = ids.map((id) => ({ id, username: id, first_name: 'Fi', last_name: id, ...r.department(value) }))
  expect((await bring({ users })).users.created).toBe(count)
  return ids
}
/** What users have in the group, as the table has it. */
const sourcesOf = (users: readonly string[]) =>
  Promise.all(
    users.map(async (user_id) => {
      const item = await groupAssignments.read(service.store, { group_id: group, user_id, role_id: 'group-member' })
      return item && groupAssignments.sourceOf(item)
    }),
  )
const each = (users: readonly string[], source: string | undefined) => users.map(() => source)
const rule = (parts: object = {}) => r.createRule(`r-${serial}`, group, { ...matchingIt(), ...parts })
const patch = (parts: object) => r.updateRule(`r-${serial}`, parts)

describe('a rule', () => {
  it('gives its role when it is created, and takes it when it changes, is disabled or deleted', async () => {
    // More than one transaction holds.
    const users = await people(12)
    const others = await people(2, `${ownDepartment()} too`)
    const { status, body } = await rule()
    expect([status, body.state, body.progress]).toEqual([201, 'READY', null])
    expect(await sourcesOf([...users, ...others])).toEqual([...each(users, 'RULE'), ...each(others, undefined)])
    expect((await patch({ conditions: [r.inDepartment(`${ownDepartment()} TOO`)] })).body.state).toBe('READY')
    expect(await sourcesOf([...users, ...others])).toEqual([...each(users, undefined), ...each(others, 'RULE')])
    await patch({ enabled: false })
    expect(await sourcesOf(others)).toEqual(each(others, undefined))
    await patch({ enabled: true })
    expect(await sourcesOf(others)).toEqual(each(others, 'RULE'))
    expect((await r.deleteRule(`r-${serial}`)).status).toBe(204)
    expect(await sourcesOf(others)).toEqual(each(others, undefined))
    expect(await readAllWork(service.store)).toEqual([])
    await audit(service)
  })

  it('of several that give the same ends with the last one that matches', async () => {
    const [user = ''] = await people(1)
    await rule()
    await r.createRule(`r-${serial}-b`, group, matchingIt())
    await r.deleteRule(`r-${serial}`)
    expect(await r.sourceOf(group, user)).toBe('RULE')
    await r.updateRule(`r-${serial}-b`, { except_user_ids: [user] })
    expect(await r.sourceOf(group, user)).toBeUndefined()
  })

  it('that only gets another title is not applied again', async () => {
    await rule()
    const { calls, heal } = strike(service.client, () => undefined)
    const { body } = await patch({ title: 'Another' }).finally(heal)
    expect([body.title, body.state]).toEqual(['Another', 'READY'])
    expect(calls.names.filter((name) => name.startsWith('Transact'))).toHaveLength(1)
  })

  it('looks at users of any status but those pending deletion, and at these when they are restored', async () => {
    const [locked = '', leaving = '', staying = ''] = await people(3)
    await call('lockUser', { path: { user_id: locked } })
    await call('deleteUser', { path: { user_id: leaving } })
    await rule()
    expect(await sourcesOf([locked, leaving])).toEqual(['RULE', undefined])
    await call('deleteUser', { path: { user_id: staying } })
    await patch({ enabled: false })
    expect(await sourcesOf([locked, leaving, staying])).toEqual([undefined, undefined, 'RULE'])
    await patch({ enabled: true })
    for (const user_id of [leaving, staying]) await call('restoreUser', { path: { user_id } })
    expect(await sourcesOf([leaving, staying])).toEqual(['RULE', 'RULE'])
    await call('deleteUser', { path: { user_id: staying } })
    await patch({ enabled: false })
    await call('restoreUser', { path: { user_id: staying } })
    expect(await r.sourceOf(group, staying)).toBeUndefined()
    await audit(service)
  })

  it('that is deleted leaves nothing with users pending deletion either', async () => {
    const [user = ''] = await people(1)
    await rule()
    await call('deleteUser', { path: { user_id: user } })
    await r.deleteRule(`r-${serial}`)
    await call('restoreUser', { path: { user_id: user } })
    expect(await r.sourceOf(group, user)).toBeUndefined()
  })

  it('has its events, with the call that caused them', async () => {
    const [user = ''] = await people(1)
    await rule()
    const { body } = await call('listUserEvents', { path: { user_id: user } })
    const [event] = body.events.filter(({ type }: Any) => type === 'user_group_assignment.created')
    expect([event.actor.id, event.actor.operation, event.record.id]).toEqual([
      'admin',
      'createRule',
      `${group}~${user}~group-member`,
    ])
  })
})

describe('groups', () => {
  it('that are archived have rules that do nothing, until they are restored', async () => {
    const [user = '', other = ''] = await people(2)
    await rule()
    await r.give(group, (await r.newUser(`m-${serial}`, r.department(ownDepartment()))) ?? '')
    await call('archiveGroup', { path: { group_id: group } })
    await r.updateUser(user, r.department(null))
    await r.newUser(`n-${serial}`, r.department(ownDepartment()))
    expect(await sourcesOf([user, other, `n-${serial}`])).toEqual(['RULE', 'RULE', undefined])
    expect((await patch({ enabled: true, title: 'T' })).status).toBe(200)
    await call('restoreGroup', { path: { group_id: group } })
    expect(await sourcesOf([user, other, `n-${serial}`])).toEqual([undefined, 'RULE', 'RULE'])
    expect((await r.readRule(`r-${serial}`)).state).toBe('READY')
    await audit(service)
  })

  it('that are archived turn nothing into an assignment by rule', async () => {
    const [user = ''] = await people(1)
    await r.give(group, user)
    await rule()
    await call('archiveGroup', { path: { group_id: group } })
    expect((await r.withdraw(group, user)).status).toBe(200)
    expect(await r.sourceOf(group, user)).toBeUndefined()
    await call('restoreGroup', { path: { group_id: group } })
    expect(await r.sourceOf(group, user)).toBe('RULE')
  })

  it('that are deleted take their rules along', async () => {
    await people(3)
    await rule()
    await r.createRule(`r-${serial}-b`, group, { ...matchingIt(), role_id: 'coach' })
    expect((await call('deleteRole', { path: { role_id: 'coach' } })).body.error_code).toBe('ROLE_IN_USE')
    await call('archiveGroup', { path: { group_id: group } })
    expect((await call('deleteGroup', { path: { group_id: group } })).status).toBe(204)
    for (const rule_id of [`r-${serial}`, `r-${serial}-b`])
      expect((await call('getRule', { path: { rule_id } })).body.error_code).toBe('RULE_NOT_FOUND')
    await audit(service)
  })

  it('that move in the tree keep their members', async () => {
    const users = await people(2)
    await rule()
    await call('updateGroup', { path: { group_id: group }, body: { parent_id: 'sales' } })
    expect(await sourcesOf(users)).toEqual(each(users, 'RULE'))
  })
})

it('an attribute definition that a rule names is in use', async () => {
  const title = [{ language: 'en-GB', text: 'Team' }]
  const technical_name = `team_${serial}`
  const made = await call('createAttributeDefinition', { body: { technical_name, title, attribute_type: 'TEXT' } })
  const path = { definition_id: made.body.id }
  await rule({ conditions: [{ field: `ATTRIBUTE:${technical_name}`, operator: 'IS_SET' }] })
  const inUse = { error_code: 'ATTRIBUTE_DEFINITION_IN_USE' }
  expect((await call('deleteAttributeDefinition', { path })).body).toMatchObject(inUse)
  expect((await call('updateAttributeDefinition', { path, body: { attribute_type: 'DATE' } })).body).toMatchObject(
    inUse,
  )
  await patch(matchingIt())
  expect((await call('deleteAttributeDefinition', { path })).status).toBe(204)
  await audit(service)
})

it('a user who is purged is taken out of the rules that except them', async () => {
  const [user = '', other = ''] = await people(2)
  await rule({ except_user_ids: [user, other] })
  await call('deleteUser', { path: { user_id: user } })
  const now = service.now()
  service.setNow('2026-12-24T09:00:00.000Z')
  await r.purge(service)
  expect((await r.readRule(`r-${serial}`)).except_user_ids).toEqual([other])
  await audit(service)
  service.setNow(now)
})

describe('a change of a user that began before a rule', () => {
  // The rule is created, and applied to all users, between what a change has read and what it writes.
  const createsRule = async (): Promise<void> => {
    expect((await rule()).body.state).toBe('READY')
  }
  const whileItIsCreated = (work: () => Promise<Reply>): Promise<Reply> => meanwhile(service, createsRule, work)

  it.each<[string, () => Promise<unknown>, (user: string) => Promise<Reply>]>([
    [
      'creation',
      async () => {},
      (id) =>
        call('createUser', {
          body: { ...ordinary, id, username: id, first_name: 'F', last_name: 'L', ...r.department(ownDepartment()) },
        }),
    ],
    ['update', () => people(1, 'Elsewhere'), () => r.updateUser(`p-${serial}-9-0`, r.department(ownDepartment()))],
    [
      'restore',
      async () => {
        const [user_id = ''] = await people(1)
        await call('deleteUser', { path: { user_id } })
      },
      () => call('restoreUser', { path: { user_id: `p-${serial}-${ownDepartment().length}-0` } }),
    ],
    [
      'withdrawal',
      async () => {
        const [user = ''] = await people(1)
        await r.give(group, user)
      },
      () => r.withdraw(group, `p-${serial}-${ownDepartment().length}-0`),
    ],
  ])('is decided by it: a %s', async (_what, before, work) => {
    await before()
    const reply = await whileItIsCreated(() => work(`new-${serial}`))
    expect(reply.status).toBeLessThan(300)
    const id = reply.body.id.user_id ?? reply.body.id
    expect(await r.sourceOf(group, id)).toBe('RULE')
    await audit(service)
  })

  it('is decided by it: an import, without a conflict', async () => {
    const value = ownDepartment()
    const users = Array.from({ length: 9 }, (_, n) => ({
      id: `i-${serial}-${n}`,
      username: `i-${serial}-${n}`,
      first_name: 'I',
      last_name: 'I',
      ...r.department(value),
    }))
    const summary = await meanwhile(service, createsRule, () => bring({ users }), users[5]?.id)
    expect([summary.users.created, summary.users.conflicts]).toEqual([9, 0])
    expect(await sourcesOf(users.map(({ id }) => id))).toEqual(
      each(
        users.map(({ id }) => id),
        'RULE',
      ),
    )
    await audit(service)
  })
})

it('a withdrawal and an update in parallel leave a user who matches with the role', async () => {
  const [user = ''] = await people(1, 'Elsewhere')
  await rule()
  await r.give(group, user)
  await meanwhile(
    service,
    () => r.updateUser(user, r.department(ownDepartment())),
    () => r.withdraw(group, user),
  )
  expect(await r.sourceOf(group, user)).toBe('RULE')
  const [next = ''] = await people(1, 'Elsewhere!')
  await r.give(group, next)
  await meanwhile(
    service,
    () => r.withdraw(group, next),
    () => r.updateUser(next, r.department(ownDepartment())),
  )
  expect(await r.sourceOf(group, next)).toBe('RULE')
})

describe('applying', () => {
  it('is finished after a death at any request', async () => {
    // Each change takes the role from one half of the users and gives it to the other half.
    const [some, others] = [await people(3), await people(3, `${ownDepartment()} too`)]
    await rule()
    let isTheirs = true
    const turnOver = (): Promise<Reply> => {
      isTheirs = !isTheirs
      return patch({ conditions: [r.inDepartment(isTheirs ? ownDepartment() : `${ownDepartment()} too`)] })
    }
    const counted = strike(service.client, () => undefined)
    await turnOver().finally(counted.heal)
    const deaths = writesAmong(counted.calls)
    expect(deaths.length).toBeGreaterThan(4)
    // Marks are written in parallel: some of them stand for all.
    for (const death of deaths.filter((_, n) => n === 0 || n === 9 || n > deaths.length - 4)) {
      const { heal } = strike(service.client, (n) => (n === death ? 'death' : undefined))
      await turnOver().finally(heal)
      await r.later(service)
      const [having, lacking] = isTheirs ? [some, others] : [others, some]
      expect(await sourcesOf([...having, ...lacking])).toEqual([...each(having, 'RULE'), ...each(lacking, undefined)])
    }
    await audit(service)
  })

  it('begins again where an index does not show all users yet', async () => {
    const [late = ''] = await people(1)
    let isLate = true
    service.client.middlewareStack.add(
      (next) => async (args) => {
        const answer = (await next(args)) as Any
        const { IndexName } = args.input as Any
        if (isLate && IndexName === 'by_id')
          answer.output.Items = answer.output.Items.filter(({ pk }: Any) => (pk.S ?? pk) !== `USER#${late}`)
        return answer
      },
      { step: 'initialize', name: 'lateIndex' },
    )
    expect((await rule()).body.state).toBe('APPLYING')
    await r.later(service, 20)
    expect((await r.readRule(`r-${serial}`)).state).toBe('APPLYING')
    isLate = false
    await r.later(service, 40)
    service.client.middlewareStack.remove('lateIndex')
    expect([await r.sourceOf(group, late), (await r.readRule(`r-${serial}`)).state]).toEqual(['RULE', 'READY'])
  })

  it('of fifty changes at once ends with what all of them say', async () => {
    const users = await people(4)
    const replies = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        if (n % 3 > 0) return r.createRule(`all-${n}`, n % 2 ? group : 'sales', { ...matchingIt(), enabled: n % 5 > 0 })
        return r.updateUser(users[n % 4] as string, { tags: [{ name: `t-${n}` }] })
      }),
    )
    expect(new Set(replies.map(({ status }) => status).filter((status) => status >= 500))).toEqual(new Set())
    await r.later(service)
    expect(await readAllWork(service.store)).toEqual([])
    await audit(service)
  })
})

it('does 1,000 changes before the answer, and leaves the rest to a worker', async () => {
  const { roles } = beforeAnswer
  expect(roles).toBe(1_000)
  // With a tenth of them: a page of users, and a part of the next one.
  undoLater('beforeAnswer', () => Object.assign(beforeAnswer, { roles }))
  Object.assign(beforeAnswer, { roles: roles / 10 })
  const crowd = Array.from({ length: 150 }, (_, n) => ({ id: `many-${n}`, ...r.department('Many') }))
  const large = await startService({ indexes: ['by_id'], users: [...someone, ...crowd] as never })
  await r.firstRule(large)
  await r.newGroup('crowd')
  const { body } = await r.createRule('many', 'crowd', { conditions: [r.inDepartment('many')] })
  expect(body.state).toBe('APPLYING')
  expect(body.progress.done).toBeGreaterThanOrEqual(roles / 10)
  expect(body.progress.total).toBe(crowd.length + someone.length)
  const handedOver = { store: large.store, clock: large.now, timeLeft: () => 60_000, log: () => {} }
  expect(await finishHandedOver(handedOver, [rulesWorkKey])).toMatchObject({ failed: 0, left: false })
  expect((await r.readRule('many')).state).toBe('READY')
  await audit(large)
  service.activate()
})

describe('the first rule', () => {
  it('is applied after a wait, in which calls that know of no rule come to their ends', async () => {
    const fresh = await startService({ indexes: ['by_id'] })
    await r.newGroup('team')
    await r.newUser('ina', r.department('Sales'))
    const { body } = await r.createRule('one', 'team')
    expect([body.state, await r.sourceOf('team', 'ina')]).toEqual(['APPLYING', undefined])
    await r.later(fresh, 49)
    expect(await r.sourceOf('team', 'ina')).toBeUndefined()
    // A second one waits with it.
    const second = { body: r.ruleBody('two', 'team', { role_id: 'coach' }), as: 'admin-2' }
    expect((await call('createRule', second)).body.state).toBe('APPLYING')
    await r.later(fresh, 51)
    expect([await r.sourceOf('team', 'ina'), (await r.readRule('one')).state]).toEqual(['RULE', 'READY'])
    expect((await r.readRule('two')).state).toBe('READY')
    const { body: ofIna } = await call('listUserEvents', { path: { user_id: 'ina' } })
    const given = ofIna.events.filter(({ type }: Any) => type === 'user_group_assignment.created')
    expect(Object.fromEntries(given.map(({ record, actor }: Any) => [record.id, actor.id]))).toEqual({
      'team~ina~group-member': 'admin',
      'team~ina~coach': 'admin-2',
    })
    await audit(fresh)
    for (const id of ['one', 'two']) await r.deleteRule(id)
    await r.later(fresh)
    expect([await r.sourceOf('team', 'ina'), await readWork(fresh.store, 'rules', 'all')]).toEqual([
      undefined,
      undefined,
    ])
    expect(await fresh.store.get(userCountKey(0))).toMatchObject({ rules: 4 })
    await audit(fresh)
    expect((await r.createRule('one', 'team')).body.state).toBe('APPLYING')
    service.activate()
  })
})
