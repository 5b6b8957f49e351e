import { describe, expect, it } from 'vitest'
import { type Role, requireRole } from '../../domain/people/records/role.ts'
import { adminRole, isModifiable, mayAssign } from '../../domain/people/records/roleRules.ts'
import type { Actor } from '../../domain/request/actor.ts'
import { type Scope, scopes } from '../../schemas/scopes.ts'
import { refusal } from '../harness/refusal.ts'

const now = '2026-11-21T09:00:00.000Z'
const title = [{ language: 'en-GB', text: 'T' }]
const custom: Role = {
  id: 'i',
  external_id: 'E',
  title,
  description: title,
  scope: 'CHANNELS',
  type: 'CUSTOM',
  predefined_role_type: null,
  permissions: ['READ'],
  assignable: false,
  created_at: now,
  updated_at: now,
}
const predefined: Role = { ...custom, type: 'PREDEFINED', predefined_role_type: 'CHANNEL_OWNER' }
/** A token with all scopes but these. */
const tokenBut = (...without: Scope[]): Actor => ({
  kind: 'SERVICE_TOKEN',
  scopes: scopes.filter((scope) => !without.includes(scope)),
})

describe('a role', () => {
  it.each([{ external_id: null }, { permissions: [] }, { assignable: true }, { scope: 'USER_GROUPS' }])(
    'may become %j, but not a predefined one',
    (changed) => {
      expect(isModifiable(custom, { ...custom, ...changed } as Role)).toBe(true)
      expect(isModifiable(predefined, { ...predefined, ...changed } as Role)).toBe(false)
    },
  )

  it.each([{ title: [] }, { description: [] }, { updated_at: '2026-11-22T09:00:00.000Z' }, {}])(
    'may become %j, whatever its type',
    (changed) => {
      for (const role of [custom, predefined]) expect(isModifiable(role, { ...role, ...changed })).toBe(true)
    },
  )

  it('must exist', () => {
    expect(requireRole(custom)).toBe(custom)
    expect(refusal(() => requireRole(undefined))).toMatchObject({ code: 'ROLE_NOT_FOUND', property: 'role_id' })
  })
})

describe('giving a role', () => {
  const administrator = { kind: 'USER', role: 'ADMIN', status: 'ACTIVE' } as const
  const channelRole = { scope: 'CHANNELS' } as const
  it.each([
    ['by an administrator', administrator, channelRole, true],
    ['that is marked as assignable', administrator, { ...channelRole, assignable: true }, true],
    ['that is marked as not assignable', administrator, { ...channelRole, assignable: false }, false],
    ['of another scope', administrator, { scope: 'USER_GROUPS' } as const, false],
    ['by a user', { kind: 'USER', role: 'USER', status: 'ACTIVE' } as const, channelRole, false],
    ['by a locked administrator', { kind: 'USER', role: 'ADMIN', status: 'LOCKED' } as const, channelRole, false],
  ])('%s', (_how, actor, role, may) => {
    expect(mayAssign(actor, role, 'CHANNELS')).toBe(may)
  })

  const token = (...scopes: Scope[]): Actor => ({ kind: 'SERVICE_TOKEN', scopes })
  const groupRole = { scope: 'USER_GROUPS' } as const
  const member = { ...groupRole, predefined_role_type: 'USER_GROUP_MEMBER' } as const
  it.each([
    ['on a channel by a token with CHANNELS', token('CHANNELS'), channelRole, true],
    ['that is not assignable by a token', token('CHANNELS'), { ...channelRole, assignable: false }, false],
    ['in a group by a token with USER_GROUPS', token('READ', 'USER_GROUPS'), groupRole, true],
    ['the user role ADMIN by a token with ADMINISTRATORS', token('ADMINISTRATORS'), adminRole, true],
    ['on a channel by a token with other scopes', tokenBut('CHANNELS'), channelRole, false],
    ['in a group by a token with other scopes', tokenBut('USER_GROUPS'), groupRole, false],
    ['the user role ADMIN by a token with other scopes', tokenBut('ADMINISTRATORS'), adminRole, false],
    ['as a member of a group by a token with SCIM', token('SCIM'), member, true],
    ['as a member of a group by a token with other scopes', tokenBut('SCIM', 'USER_GROUPS'), member, false],
  ])('%s', (_how, actor, role, may) => {
    expect(mayAssign(actor, role, role.scope)).toBe(may)
  })

  it('of an administrator', () => {
    expect(mayAssign(administrator, adminRole, 'ORGANISATION')).toBe(true)
    expect(mayAssign({ ...administrator, role: 'USER' }, adminRole, 'ORGANISATION')).toBe(false)
  })
})
