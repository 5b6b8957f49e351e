import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { groupAssignments } from '../../domain/people/records/groupAssignment.ts'
import { beforeAnswer } from '../../domain/people/rules/applyRules.ts'
import { systemCause } from '../../domain/table/actions.ts'
import type { Item } from '../../domain/table/store.ts'
import { noRepairs, repair } from '../../local/verify/repair.ts'
import { copyOf } from '../../local/verify/tableCopy.ts'
import { verify } from '../../local/verify/verify.ts'
import { undoer } from '../contract/changes.ts'
import { audit, dump, findingsIn } from '../harness/audit.ts'
import { call, type Reply } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { contextOf } from '../import/directory.ts'
import * as r from './rules.ts'

// A rule that is deleted while many users hold its role: until they have lost it, it is DELETING.

const crowd = Array.from({ length: 60 }, (_, n) => `c-${n}`)
const everybody = { role_id: 'coach', conditions: [{ field: 'USERNAME', operator: 'STARTS_WITH', values: ['c-'] }] }

let service: Service
beforeAll(async () => {
  service = await startService({
    features: { user_deactivation: true },
    users: [...people, ...crowd.map((id) => ({ id, username: id }))],
    indexes: ['by_id'],
  })
  await r.firstRule(service)
})

let serial = 0
let [rule, group] = ['', '']
/** A rule that gives 60 users a role. */
async function given(parts: object = {}): Promise<void> {
  serial++
  rule = `rule-${serial}`
  group = await r.newGroup(`group-${serial}`)
  expect((await r.createRule(rule, group, { ...everybody, ...parts })).status).toBe(201)
  expect(await r.sourceOf(group, 'c-7', (parts as { role_id?: string }).role_id ?? 'coach')).toBe('RULE')
}

/** A deletion by a call that has no time to change assignments. */
async function deleted(headers: Record<string, string> = {}): Promise<Reply> {
  const { roles } = beforeAnswer
  beforeAnswer.roles = 0
  return call('deleteRule', { path: { rule_id: rule }, headers }).finally(() => {
    beforeAnswer.roles = roles
  })
}

const outcome = ({ status, body }: Reply) => [status, body?.error_code ?? body?.state]
const read = () => call('getRule', { path: { rule_id: rule } })
const later = () => r.later(service)

describe('a rule that is DELETING', () => {
  it('is answered, read and listed with its progress, and gone when nobody holds its role by it', async () => {
    await given()
    const reply = await deleted()
    expect(outcome(reply)).toEqual([202, 'DELETING'])
    expect(reply.headers['etag']).toBeDefined()
    expect(reply.body).toMatchObject({ id: rule, enabled: false, progress: { total: expect.any(Number) } })
    expect(outcome(await read())).toEqual([200, 'DELETING'])
    const { body } = await call('listRules', { query: { user_group_id: group } })
    expect(body.rules.map(({ state }: { state: string }) => state)).toEqual(['DELETING'])
    await later()
    expect(outcome(await read())).toEqual([404, 'RULE_NOT_FOUND'])
    expect(outcome(await call('deleteRule', { path: { rule_id: rule } }))).toEqual([404, 'RULE_NOT_FOUND'])
    for (const user of crowd) expect(await r.sourceOf(group, user, 'coach')).toBeUndefined()
    await audit(service)
  })

  it('is answered when it is deleted again, whatever the tag, and cannot be changed', async () => {
    await given()
    await deleted()
    expect(outcome(await deleted({ 'if-match': '"AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAA"' }))).toEqual([202, 'DELETING'])
    for (const body of [{ enabled: true }, { title: 'Other' }, {}])
      expect(outcome(await r.updateRule(rule, body))).toEqual([409, 'RULE_IS_DELETING'])
    await later()
  })

  it('gives nothing, keeps its id, counts as a use of its role, and not of attribute definitions', async () => {
    await call('createAttributeDefinition', {
      body: { technical_name: 'shift', title: [{ language: 'en-GB', text: 'Shift' }], attribute_type: 'TEXT' },
    })
    const title = [{ language: 'en-GB', text: 'Role' }]
    await call('createRole', { body: { id: 'helper', title, scope: 'USER_GROUPS' } })
    const field = { field: 'ATTRIBUTE:shift', operator: 'IS_NOT_SET' }
    await given({ role_id: 'helper', conditions: [...everybody.conditions, field] })
    await deleted()
    await r.newUser(`c-new-${serial}`)
    expect(await r.sourceOf(group, `c-new-${serial}`, 'helper')).toBeUndefined()
    expect(outcome(await r.createRule(rule, group, everybody))).toEqual([409, 'DUPLICATE_ID'])
    expect(outcome(await call('deleteRole', { path: { role_id: 'helper' } }))).toEqual([409, 'ROLE_IN_USE'])
    expect((await call('deleteAttributeDefinition', { path: { definition_id: 'shift' } })).status).toBe(204)
    await later()
    expect((await call('deleteRole', { path: { role_id: 'helper' } })).status).toBe(204)
    await audit(service)
  })

  it('takes its role back in an archived group, and from users pending deletion', async () => {
    await given()
    await call('deleteUser', { path: { user_id: 'c-1' } })
    onTestFinished(() => call('restoreUser', { path: { user_id: 'c-1' } }).then(() => {}))
    await call('archiveGroup', { path: { group_id: group } })
    await deleted()
    await later()
    for (const user of ['c-1', 'c-2']) {
      const key = { pk: `USER#${user}`, sk: `GA#${group}#coach` }
      expect(await service.store.get(key)).toBeUndefined()
    }
    await audit(service)
  })

  it('hands over to another rule for the same group and role without a gap', async () => {
    await given()
    await deleted()
    const conditions = [{ field: 'USERNAME', operator: 'STARTS_WITH', values: ['c-1'] }]
    await r.createRule(`${rule}-next`, group, { ...everybody, conditions })
    await later()
    expect([await r.sourceOf(group, 'c-1', 'coach'), await r.sourceOf(group, 'c-2', 'coach')]).toEqual([
      'RULE',
      undefined,
    ])
    const { body } = await call('listUserEvents', { path: { user_id: 'c-1' }, query: { page_limit: 100 } })
    const types = body.events
      .filter(({ record }: { record: { id: string } }) => record.id === `${group}~c-1~coach`)
      .map(({ type }: { type: string }) => type)
    expect(types).toEqual(['user_group_assignment.created'])
    await audit(service)
  })

  it('ends at once with its group', async () => {
    await given()
    await deleted()
    for (const name of ['archiveGroup', 'deleteGroup']) await call(name, { path: { group_id: group } })
    expect(outcome(await read())).toEqual([404, 'RULE_NOT_FOUND'])
    await later()
    await audit(service)
  })

  it('has one event, that of the call', async () => {
    await given()
    await deleted()
    const types = async () => {
      const query = { record_kind: 'user_group_rule', record_id: rule }
      return (await call('listEvents', { query })).body.events.map(({ type }: { type: string }) => type)
    }
    const wanted = ['user_group_rule.deleted', 'user_group_rule.created']
    expect(await types()).toEqual(wanted)
    await later()
    expect(await types()).toEqual(wanted)
  })

  it('stays the last rule of the organisation until it is gone', async () => {
    const own = await startService({
      users: [...people, ...crowd.map((id) => ({ id, username: id }))],
      indexes: ['by_id'],
    })
    onTestFinished(() => service.activate())
    await r.newGroup('only')
    await r.createRule('only', 'only', everybody)
    await r.later(own)
    own.setNow(new Date(own.now().getTime() + 60_000))
    rule = 'only'
    expect(outcome(await deleted())).toEqual([202, 'DELETING'])
    await r.later(own)
    expect(outcome(await read())).toEqual([404, 'RULE_NOT_FOUND'])
    await audit(own)
  })
})

describe('a membership behind the primary group', () => {
  const primary = (user: string, primary_user_group_id: string | null) => r.updateUser(user, { primary_user_group_id })
  const member = { role_id: 'group-member' }

  it('ends with its rule', async () => {
    await given({ ...everybody, ...member })
    await primary('c-3', group)
    expect(await r.sourceOf(group, 'c-3')).toBe('PRIMARY')
    expect((await r.deleteRule(rule)).status).toBe(204)
    await primary('c-3', null)
    expect(await r.sourceOf(group, 'c-3')).toBeUndefined()
    await audit(service)
  })

  it('is by its rule again, with events that fit each other', async () => {
    await given({ ...everybody, ...member })
    for (let n = 0; n < 2; n++) {
      await primary('c-4', group)
      await primary('c-4', null)
      expect(await r.sourceOf(group, 'c-4')).toBe('RULE')
    }
    await audit(service)
    expect((await r.heldByEvents('c-4'))[`${group}#group-member`]).toBe('RULE')
    await r.deleteRule(rule)
    await audit(service)
  })

  it('that another rule gives while the group is primary has events, too', async () => {
    await given({ ...everybody, ...member })
    await primary('c-5', group)
    await r.deleteRule(rule)
    await r.createRule(`${rule}-b`, group, { ...everybody, ...member })
    await primary('c-5', null)
    expect(await r.sourceOf(group, 'c-5')).toBe('RULE')
    await audit(service)
  })
})

describe('npm run verify', () => {
  it.each<[string, string, () => Promise<unknown>]>([
    [
      'a role that no rule gives any more',
      'what c-8 holds by no rule',
      async () => {
        const key = { pk: 'USER#c-8', sk: `GA#${group}#coach` }
        const item = await service.store.get(key)
        await r.deleteRule(rule)
        await service.store.bulk([{ put: { ...key, ...item } }])
      },
    ],
    [
      'a role behind the primary group that no rule gives any more',
      'what c-8 holds by no rule',
      async () => {
        await r.deleteRule(rule)
        const user = { pk: 'USER#c-8', sk: 'USER' }
        const { data, ...item } = (await service.store.get(user)) as Item
        const primary = await service.store.get({ pk: 'USER#c-8', sk: 'GA#all-users#group-member' })
        await service.store.bulk([
          { put: { ...user, ...item, data: { ...(data as object), primary_was: 'RULE' } } },
          { put: { pk: 'USER#c-8', sk: 'GA#all-users#group-member', ...primary, imported: false } },
        ])
      },
    ],
    [
      'a role that was written by hand, without events',
      'what by-hand holds by no rule',
      async () => {
        await r.newUser('by-hand')
        await r.deleteRule(rule)
        const {
          imported: _mark,
          event: _event,
          ...item
        } = (await service.store.get({
          pk: 'USER#by-hand',
          sk: 'GA#all-users#group-member',
        })) as Item
        const sk = `GA#${group}#coach`
        await service.store.bulk([{ put: { ...item, pk: 'USER#by-hand', sk, source: 'RULE' } }])
      },
    ],
    [
      'a role that a walk has not given',
      'what c-8 holds by rules in',
      async () => {
        await service.store.bulk([{ delete: { pk: 'USER#c-8', sk: `GA#${group}#coach` } }])
      },
    ],
    [
      'a rule that is being deleted without work',
      'rules that are being deleted, without work',
      async () => {
        await deleted()
        await service.store.bulk([{ delete: { pk: 'WORK', sk: 'rules#all' } }])
      },
    ],
  ])('names %s', async (_name, finding, leave) => {
    await given()
    await audit(service)
    const undo = await undoer(service)
    await leave()
    const found = (await findingsIn(service)).map(({ what }) => what)
    expect(found.filter((what) => what.startsWith(finding))).toHaveLength(1)
    await undo()
    await r.deleteRule(rule)
    await audit(service)
  })

  it.each<[string, boolean]>([
    ['says nothing of what an import brought', true],
    ['says nothing of what an import of an earlier release brought, without a mark', false],
  ])('%s', async (_what, isMarked) => {
    serial++
    const groups = [await r.newGroup(`first-${serial}`), await r.newGroup(`other-${serial}`)]
    const [first = '', other = ''] = groups
    const [id, stored] = [`brought-${serial}`, await r.newUser(`stored-${serial}`)]
    const held = (group_id: string, user_id: string, role_id = 'group-member') => ({
      ...{ group_id, user_id, role_id },
      source: 'RULE',
    })
    const context = { ...contextOf(service), store: service.store.causedBy(systemCause('import')) }
    await importDirectory(context, {
      users: [{ id, username: id, first_name: 'Some', last_name: 'One', primary_user_group_id: first }],
      user_group_assignments: [held(first, id), held(first, id, 'coach'), held(other, id), held(other, stored)],
    } as never)
    for (const { imported, ...item } of isMarked ? [] : await dump(service))
      if (imported === true) await service.store.bulk([{ put: item }])
    await audit(service)
    await r.updateUser(id, { primary_user_group_id: null })
    expect([await r.sourceOf(first, id), await r.sourceOf(first, id, 'coach'), await r.sourceOf(other, id)]).toEqual([
      'RULE',
      'RULE',
      'RULE',
    ])
    await audit(service)
    // Beside it, what nobody has brought is seen.
    await r.newGroup(`third-${serial}`)
    const key = { pk: `USER#${id}`, sk: `GA#${first}#coach` }
    const { event: _event, imported: _mark, ...item } = (await service.store.get(key)) as Item
    const byHand = { ...key, sk: `GA#third-${serial}#group-member` }
    await service.store.bulk([{ put: { ...item, ...byHand } }])
    const found = (await findingsIn(service)).map(({ what }) => what)
    expect(found).toContain(`what ${id} holds by no rule`)
    await service.store.bulk([{ delete: byHand }])
    await audit(service)
  })

  it('puts right what a walk has missed, given too little or left', async () => {
    await given()
    const kept = await r.newGroup(`kept-${serial}`)
    const counting = { predefined: {}, shard: 0 }
    const [missed, left] = [
      { group_id: group, user_id: 'c-20', role_id: 'coach' },
      { group_id: kept, user_id: 'c-21', role_id: 'coach' },
    ]
    const item = (await groupAssignments.read(service.store, missed)) as Item
    const holder = { id: 'c-21', first_name: 'Some', last_name: 'One' }
    // A role that was not given, and one that a deleted rule has left.
    await service.store.write(groupAssignments.remove(missed, item, counting))
    await service.store.write(groupAssignments.create(left, holder, 'RULE', counting))
    const verdict = verify(copyOf(await dump(service)), service.now().toISOString())
    expect(verdict.findings.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['what c-21 holds by no rule', `what c-20 holds by rules in ${group}#coach`]),
    )
    await repair(service.store, verdict.repairs, service.now)
    expect([await r.sourceOf(group, 'c-20', 'coach'), await r.sourceOf(kept, 'c-21', 'coach')]).toEqual([
      'RULE',
      undefined,
    ])
    const after = verify(copyOf(await dump(service)), service.now().toISOString())
    expect(after.repairs.users.size).toBe(0)
    await deleted()
    await service.store.bulk([{ delete: { pk: 'WORK', sk: 'rules#all' } }])
    const stopped = verify(copyOf(await dump(service)), service.now().toISOString())
    await repair(service.store, stopped.repairs, service.now)
    await later()
    expect(outcome(await read())).toEqual([404, 'RULE_NOT_FOUND'])
    expect(verify(copyOf(await dump(service)), service.now().toISOString()).repairs).toEqual(noRepairs())
    await audit(service)
  })
})
