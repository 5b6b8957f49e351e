import { describe, expect, it } from 'vitest'
import type { Group } from '../../domain/people/records/group.ts'
import type { Role } from '../../domain/people/records/role.ts'
import { conditionFaults, groupFaults, roleFaults } from '../../domain/people/rules/ruleInput.ts'
import {
  checkGiving,
  checkGroupActive,
  isDisabling,
  patchedRule,
  ruleFrom,
} from '../../domain/people/rules/ruleRules.ts'
import type { Actor } from '../../domain/request/actor.ts'
import { codeOf, refusal } from '../harness/refusal.ts'

const now = '2026-11-21T09:00:00.000Z'
const later = '2026-11-22T09:00:00.000Z'
const creation = {
  title: 'Drivers',
  user_group_id: 'g',
  role_id: 'r',
  conditions: [
    { field: 'TAG', operator: 'EQUALS' as const, values: ['driver'] },
    { field: 'EMAIL_DOMAIN', operator: 'IS_SET' as const },
  ],
}
const made = ruleFrom(creation, { id: 'i', now, editor: 'ann' })

describe('a new rule', () => {
  it('is enabled, for users who match all conditions, with no exceptions', () => {
    expect(made).toEqual({
      ...creation,
      id: 'i',
      match: 'ALL',
      conditions: [creation.conditions[0], { field: 'EMAIL_DOMAIN', operator: 'IS_SET', values: [] }],
      except_user_ids: [],
      enabled: true,
      created_at: now,
      updated_at: now,
      updated_by: 'ann',
      version: 1,
    })
  })

  it('is as the body says, each exception once', () => {
    const said = { match: 'ANY' as const, enabled: false }
    const rule = ruleFrom({ ...creation, ...said, except_user_ids: ['u', 'v', 'u'] }, { id: 'i', now, editor: null })
    expect(rule).toMatchObject({ ...said, except_user_ids: ['u', 'v'], updated_by: null })
  })
})

describe('a patch', () => {
  const marks = { now: later, editor: 'ben' }
  const patched = (body: object, rule = made) => patchedRule(rule, body, marks)

  it.each<[what: string, body: object, changes: object]>([
    ['title', { title: 'Pilots' }, { title: 'Pilots' }],
    ['match', { match: 'ANY' }, { match: 'ANY' }],
    ['enabled', { enabled: false }, { enabled: false }],
    [
      'conditions',
      { conditions: [{ field: 'TAG', operator: 'IS_SET' }] },
      { conditions: [{ field: 'TAG', operator: 'IS_SET', values: [] }] },
    ],
    ['exceptions', { except_user_ids: ['u', 'u'] }, { except_user_ids: ['u'] }],
    ['the group and role that it has, too', { title: 'x', user_group_id: 'g', role_id: 'r' }, { title: 'x' }],
    ['what a read shows of them', { title: 'x', user_group: { id: 'g' }, role: { id: 'r' } }, { title: 'x' }],
  ])('changes %s, and says when and by whom', (_what, body, changes) => {
    expect(patched(body)).toEqual({ ...made, ...changes, updated_at: later, updated_by: 'ben', version: 2 })
  })

  it('with null sets back what has a default', () => {
    const other = { ...made, match: 'ANY' as const, except_user_ids: ['u'], enabled: false }
    const { match, except_user_ids, enabled } = patched({ match: null, except_user_ids: null, enabled: null }, other)
    expect({ match, except_user_ids, enabled }).toEqual({ match: 'ALL', except_user_ids: [], enabled: true })
  })

  it.each([
    {},
    { title: 'Drivers', match: null },
    { conditions: creation.conditions },
    { id: 'other', created_at: later, version: 9, updated_by: 'x' },
    { user_group: null, role: 'r' },
  ])('of what the rule has, or what cannot change, changes nothing: %j', (body) => {
    expect(patched(body)).toBe(made)
  })

  it.each([
    [{ user_group_id: 'other' }, 'user_group_id'],
    [{ role_id: 'other' }, 'role_id'],
    [{ user_group_id: null }, 'user_group_id'],
    [{ user_group: { id: 'other' } }, 'user_group'],
    [{ role: { id: 'other' } }, 'role'],
  ])('%j is refused: another group or role needs another rule', (body, property) => {
    const message = expect.stringMatching(`${property} must stay as it is: create another rule`)
    expect(refusal(() => patched(body))).toEqual({ code: 'VALIDATION_ERROR', property, message })
  })

  it.each([
    [{ enabled: false }, made, true],
    [{ enabled: false, title: 'x' }, made, false],
    [{ title: 'x' }, made, false],
    [{ enabled: true }, { ...made, enabled: false }, false],
    [{ title: 'x' }, { ...made, enabled: false }, false],
  ])('%j only disables a rule: %#', (body, before, expected) => {
    expect(isDisabling(before, patched(body, before))).toBe(expected)
  })
})

describe('who edits a rule', () => {
  const role = (parts: Partial<Role> = {}) => ({ scope: 'USER_GROUPS', assignable: true, ...parts }) as Role
  const user = (parts: Partial<Actor> = {}) => ({ kind: 'USER', role: 'ADMIN', status: 'ACTIVE', ...parts }) as Actor

  it('must be allowed to give its role in a user group', () => {
    expect(codeOf(() => checkGiving(user(), role()))).toBeUndefined()
    const refused = 'ROLE_NOT_ASSIGNABLE role_id'
    expect(codeOf(() => checkGiving(user({ role: 'USER' }), role()))).toBe(refused)
    expect(codeOf(() => checkGiving(user(), role({ scope: 'CHANNELS' })))).toBe(refused)
  })

  it('enables none of an archived group', () => {
    const group = (status: Group['status']) => ({ status }) as Group
    expect(codeOf(() => checkGroupActive(group('ACTIVE')))).toBeUndefined()
    expect(codeOf(() => checkGroupActive(group('ARCHIVED')))).toBe('USER_GROUP_ARCHIVED user_group_id')
  })
})

describe('faults of what a rule names', () => {
  it.each<[group: Pick<Group, 'type'> | undefined, faults: object[]]>([
    [undefined, [{ code: 'UNKNOWN_USER_GROUP_ID', message: 'must name a user group' }]],
    [{ type: 'CUSTOM' }, []],
    [
      { type: 'ROOT' } as Group,
      [{ code: 'INVALID_USER_GROUP', message: 'must not be the root or the group of all users' }],
    ],
  ])('the group %j', (group, faults) => {
    const property = 'user_group_id'
    expect(groupFaults(group).map(({ code, fault }) => ({ code, ...fault }))).toEqual(
      faults.map((one) => ({ ...one, property })),
    )
  })

  it.each<[role: Pick<Role, 'scope'> | undefined, faults: object[]]>([
    [undefined, [{ code: 'ROLE_DOES_NOT_EXIST', message: 'must name a role' }]],
    [{ scope: 'USER_GROUPS' }, []],
    [
      { scope: 'CHANNELS' },
      [{ code: 'ROLE_HAS_WRONG_PERMISSION_SCOPE', message: 'must name a role with the scope USER_GROUPS' }],
    ],
  ])('the role %j', (role, faults) => {
    const property = 'role_id'
    expect(roleFaults(role).map(({ code, fault }) => ({ code, ...fault }))).toEqual(
      faults.map((one) => ({ ...one, property })),
    )
  })
})

describe('faults of conditions', () => {
  const said = (conditions: unknown) =>
    conditionFaults(conditions).map(({ code, fault }) => {
      expect(code).toBe('VALIDATION_ERROR')
      return `${fault.property} ${fault.message}`
    })
  const condition = (field: unknown, operator: unknown, ...values: unknown[]) => ({ field, operator, values })

  it.each<[condition: object, faults: string[]]>([
    [condition('TAG', 'CONTAINS', 'x'), []],
    [condition('ROLE', 'EQUALS', 'ADMIN', 'USER'), []],
    [condition('ROLE', 'NOT_EQUALS', 'BOSS'), ['values.0 must be one of USER, ADMIN']],
    [condition('ROLE', 'IS_SET'), ['operator must be one of EQUALS, NOT_EQUALS for ROLE']],
    [
      condition('PRIMARY_USER_GROUP', 'CONTAINS', 'g'),
      ['operator must be one of EQUALS, NOT_EQUALS for PRIMARY_USER_GROUP'],
    ],
    [condition('USERNAME', 'STARTS_WITH', 'x'), []],
    [condition('USERNAME', 'EQUALS', 'x'), ['operator must be one of STARTS_WITH, IS_SET, IS_NOT_SET for USERNAME']],
    [
      condition('EXTERNAL_ID', 'EQUALS', 'x'),
      ['operator must be one of STARTS_WITH, IS_SET, IS_NOT_SET for EXTERNAL_ID'],
    ],
    [condition('EMAIL_DOMAIN', 'EQUALS', 'x.de', '@x.de'), ['values.1 must be a host, without an @']],
    [condition('TAG', 'IS_SET'), []],
    [{ field: 'TAG', operator: 'IS_SET' }, []],
    [condition('TAG', 'IS_SET', 'x'), ['values must be left out with IS_SET']],
    [condition('TAG', 'IS_NOT_SET', 'x'), ['values must be left out with IS_NOT_SET']],
    [condition('TAG', 'EQUALS'), ['values must have at least 1 item']],
    [{ field: 'TAG', operator: 'EQUALS' }, ['values must be given']],
    [{ field: 'TAG', operator: 'EQUALS', values: null }, ['values must be given']],
    // The schema refuses these: nothing is said twice.
    [{ field: 'TAG', operator: 'EQUALS', values: 'x' }, []],
    [condition(7, 'EQUALS'), []],
    [condition('ROLE', 7), []],
    [condition('ROLE', 'EQUALS', 7), []],
  ])('%j: %j', (one, faults) => {
    expect(said([one])).toEqual(faults.map((fault) => `conditions.0.${fault}`))
  })

  it('are found in bodies of any form, in the first 100 conditions', () => {
    for (const body of [undefined, null, 'x', {}, [null], ['x'], [[]]]) expect(said(body)).toEqual([])
    const wrong = condition('TAG', 'EQUALS')
    expect(said([null, wrong])).toEqual(['conditions.1.values must have at least 1 item'])
    expect(said(Array(101).fill(wrong))).toHaveLength(100)
  })
})
