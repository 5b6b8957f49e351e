import { beforeEach, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { faultLines, ImportRefused } from '../../domain/import/importErrors.ts'
import { importLines } from '../../domain/import/importLines.ts'
import type { LineFile } from '../../domain/import/lineFile.ts'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

// Rules in import files, and what they make of the users and assignments of the same file.

let service: Service
beforeEach(async () => {
  service = await emptyTable({ only: ['by_id', 'by_last_name'] })
})

const rule = (parts: object = {}) => ({
  id: 'sellers',
  title: 'Sales people',
  user_group_id: 'sales-north',
  role_id: 'coach',
  conditions: [{ field: 'ATTRIBUTE:department', operator: 'EQUALS', values: ['SALES'] }],
  ...parts,
})
const bringIn = (file: Any) => importDirectory(contextOf(service), file)
const withRules = (...rules: object[]): Any => ({ ...small(), user_group_rules: rules })
const api = (name: string, request: Any = {}) => call(name, { as: 'ada', ...request })
const sourceIn = async (group_id: string, user_id: string, role_id: string): Promise<unknown> => {
  const { status, body } = await api('getGroupAssignment', { path: { group_id, user_id, role_id } })
  return status === 404 ? undefined : [body.source, body.rule_ids]
}
/** Does what is noted, as the schedule does a minute later. */
const later = () =>
  finishOverdue({
    store: service.store,
    clock: () => new Date(service.now().getTime() + 120_000),
    timeLeft: () => 60_000,
    log: () => {},
  })

async function faultsOf(file: Any): Promise<string[]> {
  const error = await bringIn(file).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ImportRefused)
  return faultLines((error as ImportRefused).faults, 100)
}

const sourceOf = (lines: readonly object[]): LineFile => {
  const bytes = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))
  return {
    size: bytes.length,
    read: async function* (from) {
      yield bytes.subarray(from)
    },
  }
}

/** The same directory as lines: users before their roles, and no tasks. */
function linesOf(file: Any): object[] {
  const { users, user_group_assignments, channel_assignments, tasks: _tasks, task_assignments: _given, ...head } = file
  const reference = Object.entries(head).flatMap(([name, records]) => [records].flat().map((one) => ({ [name]: one })))
  const people = users.flatMap((user: Any) => [
    { users: user },
    ...user_group_assignments
      .filter((one: Any) => one.user_id === user.id)
      .map((one: Any) => ({ user_group_assignments: one })),
    ...channel_assignments
      .filter((one: Any) => one.user_id === user.id)
      .map((one: Any) => ({ channel_assignments: one })),
  ])
  return [...reference, ...people]
}

const ways: [name: string, (file: Any) => Promise<Any>][] = [
  ['a document', bringIn],
  ['a file of lines', (file) => importLines(contextOf(service), sourceOf(linesOf(file)))],
]

describe.each(ways)('%s', (_name, bring) => {
  it('brings rules, and users with what they give', async () => {
    const summary = await bring(withRules(rule(), rule({ id: 'none', enabled: false, role_id: 'user-group-member' })))
    expect(summary.user_group_rules).toMatchObject({ created: 2, unchanged: 0 })
    expect(await sourceIn('sales-north', 'ben', 'coach')).toEqual(['RULE', ['sellers']])
    expect(await sourceIn('sales-north', 'eve', 'coach')).toBeUndefined()
    expect((await api('getRule', { path: { rule_id: 'sellers' } })).body).toMatchObject({
      match: 'ALL',
      enabled: true,
      updated_by: null,
      state: 'APPLYING',
    })
    await later()
    expect((await api('getRule', { path: { rule_id: 'sellers' } })).body).toMatchObject({
      state: 'READY',
      progress: null,
    })
    await audit(service)
    const again = await bring(withRules(rule(), rule({ id: 'none', enabled: false, role_id: 'user-group-member' })))
    expect(again.user_group_rules).toMatchObject({ created: 0, updated: 0, unchanged: 2 })
  })

  it('makes RULE assignments of its rules only for users who match', async () => {
    const file = withRules(rule())
    const given = { group_id: 'sales-north', role_id: 'coach', source: 'RULE' }
    file.user_group_assignments.push({ ...given, user_id: 'ben' }, { ...given, user_id: 'eve' })
    const summary = await bring(file)
    expect(summary.user_group_assignments).toMatchObject({ skipped: 1, conflicts: 0 })
    expect(await sourceIn('sales-north', 'ben', 'coach')).toEqual(['RULE', ['sellers']])
    expect(await sourceIn('sales-north', 'eve', 'coach')).toBeUndefined()
    // No rule gives this one.
    expect(await sourceIn('sales-north', 'ada', 'user-group-member')).toEqual(['RULE', []])
    await later()
    await audit(service)
  })

  it('takes exceptions among its own users', async () => {
    await bring(withRules(rule({ except_user_ids: ['ben', 'eve'] })))
    expect(await sourceIn('sales-north', 'ben', 'coach')).toBeUndefined()
    expect((await api('getRule', { path: { rule_id: 'sellers' } })).body.except_user_ids).toEqual(['ben', 'eve'])
  })

  it('refuses exceptions of nobody', async () => {
    const error = await bring(withRules(rule({ except_user_ids: ['ben', 'nobody'] }))).catch((thrown) => thrown)
    const [fault] = (error as ImportRefused).faults
    expect(fault).toMatchObject({ property: 'except_user_ids.1', reason: 'must name a user' })
  })

  it('leaves users who are gone out of exceptions', async () => {
    const file = withRules(rule({ except_user_ids: ['ben', 'past'] }))
    const past = { status: 'PENDING_DELETION', deletion_at: '2020-01-01T00:00:00Z' }
    file.users.push({ id: 'past', username: 'past', first_name: 'P', last_name: 'P', ...past })
    await bring(file)
    expect((await api('getRule', { path: { rule_id: 'sellers' } })).body.except_user_ids).toEqual(['ben'])
    expect((await bring(file)).user_group_rules).toMatchObject({ updated: 0, unchanged: 1 })
    await later()
    await audit(service)
  })
})

it('a later file changes a rule, and takes over what an import had given', async () => {
  await bringIn(small())
  expect(await sourceIn('sales-north', 'ada', 'user-group-member')).toEqual(['RULE', []])
  const place = { id: 'members', user_group_id: 'sales-north', role_id: 'user-group-member' }
  await bringIn({
    user_group_rules: [rule({ ...place, conditions: [{ field: 'TAG', operator: 'EQUALS', values: ['mentor'] }] })],
  })
  await later()
  expect(await sourceIn('sales-north', 'ada', 'user-group-member')).toBeUndefined()
  expect(await sourceIn('sales-north', 'ben', 'user-group-member')).toEqual(['RULE', ['members']])
  const other = { ...rule(place), conditions: [{ field: 'ROLE', operator: 'EQUALS', values: ['ADMIN'] }] }
  expect((await bringIn({ user_group_rules: [other] })).user_group_rules).toMatchObject({ updated: 1 })
  await later()
  expect(await sourceIn('sales-north', 'ada', 'user-group-member')).toEqual(['RULE', ['members']])
  expect(await sourceIn('sales-north', 'ben', 'user-group-member')).toBeUndefined()
  await audit(service)
})

it('a rule without an id gets one that follows from what it gives', async () => {
  const { id: _id, ...nameless } = rule()
  await bringIn(withRules(nameless))
  expect((await bringIn(withRules(nameless))).user_group_rules).toMatchObject({ created: 0, unchanged: 1 })
  const { rules } = (await api('listRules')).body
  expect(rules.map(({ id }: Any) => id)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)])
})

describe('a file is refused', () => {
  const on = (field: string, operator: string, ...values: string[]) =>
    rule({ conditions: [{ field, operator, values }] })
  const rows: [what: string, rules: object[], faults: string[]][] = [
    ['with an unknown field', [on('SIZE', 'IS_SET')], ['conditions.0.field: must have an allowed form']],
    ['without a title', [rule({ title: ' ' })], ['title: must have at least 1 character']],
    [
      'with an unusable operator',
      [on('ROLE', 'IS_SET')],
      ['conditions.0.operator: must be one of EQUALS, NOT_EQUALS for ROLE'],
    ],
    ['with a missing value', [on('TAG', 'EQUALS')], ['conditions.0.values: must have at least 1 item']],
    [
      'with an unknown attribute',
      [on('ATTRIBUTE:x', 'IS_SET')],
      ['conditions.0.field: must name an attribute definition'],
    ],
    [
      'with an unknown group in a condition',
      [on('PRIMARY_USER_GROUP', 'EQUALS', 'sales', 'x')],
      ['conditions.0.values.1: must name a user group'],
    ],
    ['with an unknown group', [rule({ user_group_id: 'x' })], ['user_group_id: must name a user group']],
    [
      'with the root',
      [rule({ user_group_id: 'top' })],
      ['user_group_id: must not be the root or the group of all users'],
    ],
    [
      'with an archived group',
      [rule({ user_group_id: 'closed' })],
      ['user_group_id: names a user group that is archived'],
    ],
    ['with an unknown role', [rule({ role_id: 'x' })], ['role_id: must name a role']],
    ['with a channel role', [rule({ role_id: 'editor' })], ['role_id: must be a role of the scope USER_GROUPS']],
    [
      'with a role that is not handed out',
      [rule({ role_id: 'auditor' })],
      ['role_id: is a role that cannot be handed out'],
    ],
  ]
  it.each(rows)('%s', async (_what, rules, faults) => {
    expect(await faultsOf(withRules(...rules))).toEqual(faults.map((fault) => `user_group_rules[0].${fault}`))
  })

  it('with a rule twice', async () => {
    const faults = await faultsOf(withRules(rule(), rule({ title: 'Again' })))
    expect(faults).toEqual(['user_group_rules[1].id: is the same as that of user_group_rules[0]'])
  })

  it('with too many rules', async () => {
    const many = Array.from({ length: 21 }, (_, n) => rule({ id: `r-${n}` }))
    expect(await faultsOf(withRules(...many))).toEqual([
      'user_group_rules: would be 21 rules of one user group, and 20 are allowed',
    ])
  })

  it('with another group of a stored rule', async () => {
    await bringIn(withRules(rule()))
    expect(await faultsOf({ user_group_rules: [rule({ user_group_id: 'sales' })] })).toEqual([
      'user_group_rules[0].user_group_id: cannot change: others may rely on what is stored',
    ])
  })
})

it('a rule that the API changes meanwhile is drafted again', async () => {
  await bringIn(withRules(rule()))
  await later()
  let isFirst = true
  await meanwhile(
    service,
    async () => {
      if (isFirst) await api('updateRule', { path: { rule_id: 'sellers' }, body: { enabled: false } })
      isFirst = false
    },
    () => bringIn({ user_group_rules: [rule({ title: 'Renamed' })] }),
  )
  const { body } = await api('getRule', { path: { rule_id: 'sellers' } })
  expect(body).toMatchObject({ title: 'Renamed', enabled: false })
  await audit(service)
})
