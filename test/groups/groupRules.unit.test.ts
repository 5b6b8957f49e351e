import { describe, expect, it } from 'vitest'
import { readNamedParent, wrongInGroup } from '../../domain/people/groups/namedParent.ts'
import type { Group } from '../../domain/people/records/group.ts'
import {
  allowedGroupActions,
  checkGroupAction,
  checkMove,
  checkParentActive,
  type GroupAction,
  groupEntry,
  groupFrom,
  patchedGroup,
  treePlaceOf,
} from '../../domain/people/records/groupRules.ts'
import { treeOf } from '../../domain/people/records/groupTree.ts'
import { codeOf, refusal } from '../harness/refusal.ts'
import { groupRecord } from '../harness/seed.ts'

const now = '2026-11-21T09:00:00.000Z'
const actions: GroupAction[] = ['update', 'move', 'archive', 'restore', 'delete']
const predefined = 'USER_GROUP_IS_PREDEFINED group_id'
const archived = 'USER_GROUP_ARCHIVED group_id'
const notArchived = 'USER_GROUP_NOT_ARCHIVED group_id'

const admin = { kind: 'USER', role: 'ADMIN', status: 'ACTIVE' } as const

describe('an action', () => {
  const rows: [string, Group, (string | undefined)[]][] = [
    ['an active group', groupRecord('g'), [undefined, undefined, undefined, notArchived, notArchived]],
    ['an archived group', groupRecord('g', 'CUSTOM', 'ARCHIVED'), [archived, archived, archived, undefined, undefined]],
    ...(['ROOT', 'ALL_USERS'] as const).map((type): [string, Group, (string | undefined)[]] => [
      type,
      groupRecord('g', type),
      [undefined, 'USER_GROUP_IS_PREDEFINED parent_id', predefined, notArchived, predefined],
    ]),
  ]
  it.each(rows)('on %s', (_what, group, expected) => {
    expect(actions.map((action) => codeOf(() => checkGroupAction(action, group)))).toEqual(expected)
    expect(actions.map((action) => codeOf(() => checkGroupAction(action, group, { parent: 'ACTIVE' })))).toEqual(
      expected,
    )
    expect(allowedGroupActions(group, { parent: 'ACTIVE' }, admin)).toEqual(
      Object.fromEntries(actions.map((action, n) => [action, { allowed: expected[n] === undefined }])),
    )
    const none = Object.fromEntries(actions.map((action) => [action, { allowed: false }]))
    expect(allowedGroupActions(group, { parent: 'ACTIVE' }, { kind: 'SERVICE_TOKEN', scopes: ['READ'] })).toEqual(none)
  })

  it('below an archived group: only restoring is refused for that', () => {
    const group = groupRecord('g', 'CUSTOM', 'ARCHIVED')
    expect(refusal(() => checkGroupAction('restore', group, { parent: 'ARCHIVED' }))).toEqual({
      code: 'USER_GROUP_ARCHIVED',
      property: 'parent_id',
      message: expect.stringMatching(/above is archived.*restore/),
    })
    expect(codeOf(() => checkGroupAction('delete', group, { parent: 'ARCHIVED' }))).toBeUndefined()
    expect(codeOf(() => checkGroupAction('update', groupRecord('g'), { parent: 'ARCHIVED' }))).toBeUndefined()
    expect(allowedGroupActions(group, { parent: 'ARCHIVED' }, admin)).toMatchObject({
      restore: { allowed: false },
      delete: { allowed: true },
    })
  })
})

describe('the place in the tree', () => {
  const tree = treeOf([
    { id: 'root', parent_id: null, status: 'ACTIVE' },
    { id: 'above', parent_id: 'root', status: 'ARCHIVED' },
    { id: 'all', parent_id: 'above', status: 'ACTIVE' },
    { id: 'beside', parent_id: 'above', status: 'ARCHIVED' },
  ])
  it.each([
    ['root', null, 'ACTIVE', true],
    ['above', 'root', 'ACTIVE', true],
    ['beside', 'above', 'ARCHIVED', false],
  ] as const)('of %s', (id, parent_id, parent, isAbovePredefined) => {
    const group: Group = { ...groupRecord(id, 'CUSTOM', 'ARCHIVED'), parent_id }
    const place = treePlaceOf(tree, group, { ALL_USERS: 'all' })
    expect(place).toEqual({ parent, isAbovePredefined })
    expect(codeOf(() => checkGroupAction('delete', group, place))).toBe(isAbovePredefined ? predefined : undefined)
    expect(allowedGroupActions(group, place, admin).delete).toEqual({ allowed: !isAbovePredefined })
    expect(treePlaceOf(tree, group, {}).isAbovePredefined).toBe(false)
  })
})

describe('a parent', () => {
  it('is active, or unknown', () => {
    expect(refusal(() => checkParentActive(groupRecord('p', 'CUSTOM', 'ARCHIVED')))).toEqual({
      code: 'USER_GROUP_ARCHIVED',
      property: 'parent_id',
      message: expect.stringMatching(/above is archived/),
    })
    expect(refusal(() => checkParentActive(groupRecord('p')))).toBeUndefined()
    expect(refusal(() => checkParentActive(undefined))).toBeUndefined()
  })

  it('is not below the group itself', () => {
    const tree = treeOf(
      [
        ['root', null],
        ['a', 'root'],
        ['b', 'a'],
        ['c', 'b'],
        ['d', 'root'],
      ].map(([id, parent_id]) => ({ id: id as string, parent_id: parent_id as string | null, status: 'ACTIVE' })),
    )
    const to = (parent_id: string | null) => codeOf(() => checkMove(tree, { ...groupRecord('a'), parent_id }))
    const cycle = 'PARENT_ID_UPDATE_WOULD_PRODUCE_A_CYCLE parent_id'
    expect(['a', 'b', 'c', 'd', 'root', null].map(to)).toEqual([cycle, cycle, cycle, undefined, undefined, undefined])
  })

  const title = [{ language: 'en-GB', text: 'T' }]
  const organisation = async () => ({ languages: ['en-GB'], default_language: 'en-GB' })
  const context = (found: object = {}) =>
    ({
      store: { get: async ({ pk }: { pk: string }) => (found as Record<string, unknown>)[pk] },
      organisation,
      organisationNow: organisation,
    }) as never
  const sales = { 'GROUP#sales': { pk: 'GROUP#sales', sk: 'GROUP', data: groupRecord('sales') } }

  it.each<[string, unknown, string | undefined, string | undefined]>([
    ['is found', { parent_id: 'sales', title }, 'sales', undefined],
    ['is unknown', { parent_id: 'other', title }, undefined, 'UNKNOWN_USER_GROUP_ID'],
    ['is not named', { title }, undefined, undefined],
    ['is null', { title, parent_id: null }, undefined, undefined],
    ['is no text', { title, parent_id: 5 }, undefined, undefined],
    ['is in no record', 'text', undefined, undefined],
  ])('that %s', async (_how, body, id, code) => {
    const { parent, fault } = await readNamedParent(context(sales), body)
    expect([parent?.id, fault?.code]).toEqual([id, code])
    expect((await wrongInGroup(context(sales), body, { group_id: 'sales' }, {}))?.code).toBe(code)
    expect((await wrongInGroup(context(sales), body, {}, {}))?.code).toBe(code)
    if (code) expect(fault?.property).toBe('parent_id')
  })

  it('is reported together with a language that is not enabled', async () => {
    const body = { parent_id: 'other', title: [{ language: 'fr-FR', text: 'T' }] }
    const { fault } = await readNamedParent(context(sales), body)
    expect(fault?.errors?.map(({ property }) => property)).toEqual(['title.0.language', 'parent_id'])
  })
})

describe('a group', () => {
  const title = [{ language: 'en-GB', text: 'T' }]
  const whole = { external_id: 'E', title, description: title, parent_id: 'p' }
  const rest = { id: 'i', type: 'CUSTOM', status: 'ACTIVE', created_at: now, updated_at: now }

  it('as it is created', () => {
    const least = { ...rest, title: [], external_id: null, description: [], parent_id: null }
    expect(groupFrom({} as never, { id: 'i', now })).toEqual(least)
    expect(groupFrom(whole as never, { id: 'i', now })).toEqual({ ...whole, ...rest })
    expect(groupFrom({ title, parent_id: 'p' } as never, { id: 'i', now })).toEqual({
      ...rest,
      title,
      external_id: null,
      description: [],
      parent_id: 'p',
    })
  })

  const before = { ...groupRecord('g'), external_id: 'E', description: title }
  const patched = (body: object, root: string | null | undefined = 'root', group: Group = before) =>
    patchedGroup(group, body as never, { now, root })

  it('that stays as it is stays the very same object', () => {
    expect(patched({})).toBe(before)
    expect(patched({ parent_id: null, external_id: 'E' })).toBe(before)
    expect(patched({ id: 'h', type: 'ROOT', status: 'ARCHIVED', created_at: now })).toBe(before)
  })

  it.each([
    [{ external_id: 'F' }, { external_id: 'F' }],
    [{ external_id: null }, { external_id: null }],
    [{ description: null }, { description: [] }],
    [{ title }, { title }],
    [{ parent_id: 'q' }, { parent_id: 'q' }],
  ])('after %j', (body, changed) => {
    expect(patched(body)).toEqual({ ...before, ...changed, updated_at: now })
  })

  it('is below the root if its parent is null; the root has no parent', () => {
    expect(patched({ parent_id: null }, 'top').parent_id).toBe('top')
    expect(patchedGroup(before, { parent_id: null }, { now, root: undefined }).parent_id).toBe(null)
    const root = groupRecord('root', 'ROOT')
    expect(patched({ parent_id: null }, 'root', root)).toBe(root)
  })
})

it.each(['CALL', 'STREAM', undefined] as const)(
  'work on a group is noted for %s, with the id kept for a minute',
  (taker) => {
    const noted = { pk: 'WORK', sk: 'group#g', kind: 'group', todo: 'archive', token: 't', taker: taker ?? 'CALL' }
    const times = { due: '2026-11-21T09:00:10.000Z', kept: '2026-11-21T09:01:00.000Z' }
    expect(groupEntry('g', 'archive', { now, token: 't', taker })).toEqual({ ...noted, ...times })
  },
)
