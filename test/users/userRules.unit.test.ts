import { describe, expect, it, test } from 'vitest'
import { isSameCreation, userFrom } from '../../domain/people/records/newUser.ts'
import { moveOf } from '../../domain/people/records/primaryGroupMove.ts'
import type { UserRecord, UserStatus } from '../../domain/people/records/user.ts'
import {
  actedOn,
  allowedActions,
  checkAction,
  checkAdministrator,
  deadlineFrom,
  type UserAction,
} from '../../domain/people/records/userRules.ts'
import { type Actor, tokenActor } from '../../domain/request/actor.ts'
import { type Scope, scopes } from '../../schemas/scopes.ts'
import { refusal } from '../harness/refusal.ts'
import { userRecord } from '../harness/seed.ts'

const now = '2026-11-21T09:00:00.000Z'
const later = '2026-11-22T10:00:00.000Z'
const deadline = '2026-12-06T10:00:00.000Z'
const user = (parts: Partial<UserRecord> = {}): UserRecord => userRecord(parts, now)
const pending = (previous_status?: UserStatus): UserRecord =>
  user({ status: 'PENDING_DELETION', deletion_at: deadline, ...(previous_status ? { previous_status } : {}) })

const actions: UserAction[] = ['update', 'lock', 'unlock', 'deactivate', 'reactivate', 'delete', 'restore']
/** What the contract permits; `same` changes nothing. */
const table: Record<UserStatus, Partial<Record<UserAction, UserStatus | 'same'>>> = {
  ACTIVE: { lock: 'LOCKED', unlock: 'same', deactivate: 'DEACTIVATED', reactivate: 'same', delete: 'PENDING_DELETION' },
  LOCKED: { lock: 'same', unlock: 'ACTIVE', deactivate: 'DEACTIVATED', reactivate: 'same', delete: 'PENDING_DELETION' },
  DEACTIVATED: { deactivate: 'same', reactivate: 'ACTIVE', delete: 'PENDING_DELETION' },
  PENDING_DELETION: { delete: 'same', restore: 'LOCKED' },
}
const cells = Object.keys(table).flatMap((status) =>
  actions.map((action) => [action, status as UserStatus, table[status as UserStatus][action]] as const),
)

describe('an action', () => {
  it.each(cells)('%s of a user who is %s: %s', (action, status, outcome) => {
    const before = status === 'PENDING_DELETION' ? pending('LOCKED') : user({ status })
    if (action === 'update') {
      expect(refusal(() => checkAction(action, before, 'admin')) === undefined).toBe(status !== 'PENDING_DELETION')
      return
    }
    if (outcome === undefined) {
      expect(refusal(() => checkAction(action, before, 'admin'))).toEqual(
        action === 'restore'
          ? {
              code: 'USER_NOT_RESTORABLE',
              property: 'user_id',
              message: expect.stringMatching(/pending deletion/),
            }
          : {
              code: 'USER_MODIFICATION_NOT_ALLOWED',
              property: 'user_id',
              message: expect.stringMatching(new RegExp(`${status}.*${action}`)),
            },
      )
      return
    }
    checkAction(action, before, 'admin')
    const after = actedOn(action, before, later)
    if (outcome === 'same') return expect(after).toBe(before)
    const { deletion_at: _1, previous_status: _2, ...lasting } = before
    const remembered = action === 'delete' || action === 'deactivate' ? { previous_status: status } : {}
    expect(after).toEqual({
      ...lasting,
      status: outcome,
      updated_at: later,
      version: 2,
      ...remembered,
      ...(action === 'delete' ? { deletion_at: deadline } : {}),
    })
  })

  it('restores a user without a former status as active', () => {
    expect(actedOn('restore', pending(), later)).toEqual(user({ updated_at: later, version: 2 }))
  })

  it.each(actions)('%s: not to oneself, not to the protected', (action) => {
    const self = { code: 'ACTOR_MUST_NOT_CHANGE_ITSELF', property: 'user_id', message: expect.any(String) }
    const status = action === 'restore' ? 'PENDING_DELETION' : action === 'reactivate' ? 'DEACTIVATED' : 'ACTIVE'
    expect(refusal(() => checkAction(action, user({ status }), 'someone'))).toEqual(
      ['lock', 'deactivate', 'delete'].includes(action) ? self : undefined,
    )
    expect(refusal(() => checkAction(action, user({ status, protected: true }), 'admin'))).toEqual({
      code: 'USER_MODIFICATION_NOT_ALLOWED',
      property: 'user_id',
      message: expect.stringMatching(/protected/),
    })
  })

  test('the deadline is 14 days ahead', () => {
    expect(deadlineFrom('2026-02-20T23:59:59.999Z')).toBe('2026-03-06T23:59:59.999Z')
  })
})

describe('allowed actions', () => {
  const actor: Actor = { kind: 'USER', role: 'ADMIN', status: 'ACTIVE' }
  const by: Parameters<typeof allowedActions>[1] = { actorId: 'admin', actor, administrators: 2, deactivation: true }
  const token = (...scopes: Scope[]) => ({ actor: { kind: 'SERVICE_TOKEN', scopes } as const })
  const allowed = (some: UserRecord, how: Partial<typeof by> = {}): string =>
    Object.entries(allowedActions(some, { ...by, ...how }))
      .flatMap(([action, { allowed: isAllowed }]) => (isAllowed ? [action] : []))
      .join()
  const admin = user({ role: 'ADMIN' })

  it.each<[string, string, string]>([
    ['an active user', allowed(user()), 'update,lock,unlock,deactivate,delete'],
    ['a locked user', allowed(user({ status: 'LOCKED' })), 'update,lock,unlock,deactivate,delete'],
    ['a deactivated user', allowed(user({ status: 'DEACTIVATED' })), 'update,deactivate,delete'],
    ['a user pending deletion', allowed(pending('ACTIVE')), 'delete,restore'],
    ['oneself', allowed(user(), { actorId: 'someone' }), 'update,unlock'],
    ['a protected user', allowed(user({ protected: true })), ''],
    ['while deactivation is off', allowed(user(), { deactivation: false }), 'update,lock,unlock,delete'],
    ['one of two administrators', allowed(admin), 'update,lock,unlock,deactivate,delete'],
    ['the last administrator', allowed(admin, { administrators: 1 }), 'update,unlock'],
    [
      'a user who is not the last administrator',
      allowed(user(), { administrators: 1 }),
      'update,lock,unlock,deactivate,delete',
    ],
    [
      'a locked administrator, another being the last active one',
      allowed({ ...admin, status: 'LOCKED' }, { administrators: 1 }),
      'update,lock,unlock,deactivate,delete',
    ],
    ['a user, by a token with USERS', allowed(user(), token('USERS')), 'update,lock,unlock,deactivate,delete'],
    ['a user, by a token that reads', allowed(user(), token('READ', 'SCIM', 'ADMINISTRATORS')), ''],
    ['an administrator, by a token with USERS', allowed(admin, token('USERS')), 'update,unlock'],
    [
      'a locked administrator, by a token with USERS',
      allowed({ ...admin, status: 'LOCKED' }, token('USERS')),
      'update,lock',
    ],
    [
      'a deleted administrator, by a token with USERS',
      allowed({ ...pending(), role: 'ADMIN' }, token('USERS')),
      'delete',
    ],
    [
      'an administrator, by a token with ADMINISTRATORS',
      allowed(admin, token('USERS', 'ADMINISTRATORS')),
      'update,lock,unlock,deactivate,delete',
    ],
    [
      'a user with the id of the token',
      allowed(user(), { ...token('USERS'), actorId: tokenActor(user().id) }),
      'update,lock,unlock,deactivate,delete',
    ],
  ])('of %s', (_who, found, expected) => {
    expect(found).toBe(expected)
  })

  it('are allowed or not, in every case', () => {
    const cases = [
      allowedActions(user(), { ...by, deactivation: false }),
      allowedActions({ ...user(), role: 'ADMIN' }, { ...by, actorId: 'x', administrators: 1 }),
    ]
    for (const one of [...cases, allowedActions(pending(), by)])
      for (const action of Object.values(one)) expect(action).toEqual({ allowed: expect.any(Boolean) })
  })

  it('names all that can be asked for', () => {
    expect(Object.keys(allowedActions(user(), by))).toEqual([
      'update',
      'lock',
      'unlock',
      'deactivate',
      'delete',
      'restore',
    ])
  })
})

const least = { first_name: 'A', last_name: 'B', username: 'ab', status: 'LOCKED', role: 'ADMIN' } as const
const whole = {
  ...least,
  external_id: 'E',
  email: 'a@example.com',
  required_actions: ['VERIFY_EMAIL', 'UPDATE_PASSWORD', 'VERIFY_EMAIL'],
  attributes: [{ name: 'x', value: '1' }],
  tags: [{ name: 't' }],
  profile_picture: { file_id: 'f' },
} as const
const given = { id: 'i', now, group: 'g' }
const rest = {
  id: 'i',
  primary_user_group_id: 'g',
  primary_was: null,
  created_at: now,
  updated_at: now,
  version: 1,
}

describe('a creation', () => {
  it('without anything that may be missing', () => {
    const none = {
      external_id: null,
      email: null,
      required_actions: [],
      attributes: [],
      tags: [],
      profile_picture: null,
      preferred_language: null,
    }
    expect(userFrom(least, given)).toEqual({ ...least, ...none, ...rest })
    expect(userFrom({ ...least, attributes: null, tags: null, profile_picture: null } as never, given)).toEqual({
      ...least,
      ...none,
      ...rest,
    })
  })

  it('takes over what a user has, each required action once', () => {
    expect(userFrom(whole as never, given)).toEqual({
      ...whole,
      ...rest,
      preferred_language: null,
      required_actions: ['VERIFY_EMAIL', 'UPDATE_PASSWORD'],
      attributes: [{ name: 'x', value: '1' }],
      tags: [{ name: 't' }],
      profile_picture: { file_id: 'f' },
    })
  })

  const first = {
    ...userFrom(whole as never, given),
    attributes: ['b', 'a', 'c'].map((name) => ({ name, value: name })),
    tags: ['b', 'a', 'c'].map((name) => ({ name })),
  }
  it.each<[string, Partial<UserRecord>, boolean]>([
    ['nothing', {}, true],
    [
      'the clock and what came after',
      { created_at: later, updated_at: later, version: 7, primary_was: 'MANUAL' },
      true,
    ],
    ['the order of required actions', { required_actions: ['UPDATE_PASSWORD', 'VERIFY_EMAIL'] }, true],
    ['the order of attributes', { attributes: first.attributes.toReversed() }, true],
    ['the order of tags', { tags: first.tags.toReversed() }, true],
    ['a value', { attributes: [{ name: 'x', value: '2' }] }, false],
    ['a name', { first_name: 'Other' }, false],
    ['the status', { status: 'ACTIVE' }, false],
    ['the group', { primary_user_group_id: 'h' }, false],
  ])('is the same with another version of %s: %s', (_what, parts, isSame) => {
    expect(isSameCreation(first, { ...first, ...parts })).toBe(isSame)
  })
})

describe('another primary group', () => {
  const before = user({ primary_user_group_id: 'g', primary_was: 'RULE' })

  it.each([
    ['a member of neither kind', undefined, null, false],
    ['a member by hand', 'MANUAL', 'MANUAL', true],
    ['a member by a rule', 'RULE', 'RULE', true],
    ['whose group became primary meanwhile', 'PRIMARY', null, true],
  ] as const)('of a user who was %s', (_what, source, primary_was, isMember) => {
    const wanted = { ...before, primary_user_group_id: 'h' }
    expect(moveOf(before, wanted, source)).toEqual({
      after: { ...wanted, primary_was },
      move: { from: 'g', to: 'h', isMember, was: 'RULE', oldMembership: { source: 'RULE' } },
    })
  })

  it('is no move if it stays the same', () => {
    const wanted = { ...before, first_name: 'Other' }
    expect(moveOf(before, wanted, 'MANUAL')).toEqual({ after: wanted })
  })
})

describe('administrators, by a service token without the scope for them', () => {
  const token: Actor = { kind: 'SERVICE_TOKEN', scopes: scopes.filter((scope) => scope !== 'ADMINISTRATORS') }
  const admin = user({ role: 'ADMIN', email: 'a@example.com' })
  const plain = user({ email: 'a@example.com' })
  const ofChange = (before: UserRecord | undefined, after: UserRecord, by: Actor = token) =>
    refusal(() => checkAdministrator(by, before, after))

  it.each<[string, UserRecord | undefined, UserRecord, string]>([
    ['are not created', undefined, admin, 'role'],
    ['are not made of users', plain, admin, 'role'],
    ['are not made users', admin, plain, 'role'],
    ['keep the username', admin, { ...admin, username: 'other' }, 'username'],
    ['keep the e-mail', admin, { ...admin, email: null }, 'email'],
    ['keep the external id', admin, { ...admin, external_id: 'x' }, 'external_id'],
    ['are not locked', admin, { ...admin, status: 'LOCKED' }, 'status'],
    ['are not deleted', admin, actedOn('delete', admin, '2026-11-21T09:00:00.000Z'), 'status'],
    ['are not restored', { ...admin, status: 'PENDING_DELETION' }, admin, 'status'],
  ])('%s', (_what, before, after, property) => {
    expect(ofChange(before, after)).toMatchObject({ code: 'PERMISSION_MISSING', property })
    expect(ofChange(before, after, { kind: 'SERVICE_TOKEN', scopes: ['ADMINISTRATORS'] })).toBeUndefined()
    expect(ofChange(before, after, { kind: 'USER', role: 'ADMIN', status: 'ACTIVE' })).toBeUndefined()
  })

  it('get other names, attributes, tags and groups', () => {
    const after: UserRecord = {
      ...admin,
      ...{ first_name: 'X', last_name: 'X', primary_user_group_id: 'x', profile_picture: null },
      ...{ attributes: [{ name: 'a', value: 'b' }], tags: [{ name: 't' }], required_actions: ['VERIFY_EMAIL'] },
    }
    expect(ofChange(admin, after)).toBeUndefined()
    expect(ofChange(admin, admin)).toBeUndefined()
  })

  it('are no matter of users who are none', () => {
    const users = [plain, { ...plain, username: 'other', status: 'LOCKED' as const }]
    expect(users.map((after) => ofChange(plain, after))).toEqual([undefined, undefined])
    expect(ofChange(undefined, plain)).toBeUndefined()
  })
})
