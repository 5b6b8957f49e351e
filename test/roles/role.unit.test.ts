import { describe, expect, it } from 'vitest'
import { adminRole, isModifiable, mayAssign, type Role, requireRole } from '../../domain/roles/role.ts'
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
  const administrator = { role: 'ADMIN', status: 'ACTIVE' } as const
  const channelRole = { scope: 'CHANNELS' } as const
  it.each([
    ['by an administrator', administrator, channelRole, true],
    ['that is marked as assignable', administrator, { ...channelRole, assignable: true }, true],
    ['that is marked as not assignable', administrator, { ...channelRole, assignable: false }, false],
    ['of another scope', administrator, { scope: 'USER_GROUPS' } as const, false],
    ['by a user', { role: 'USER', status: 'ACTIVE' } as const, channelRole, false],
    ['by a locked administrator', { role: 'ADMIN', status: 'LOCKED' } as const, channelRole, false],
  ])('%s', (_how, actor, role, may) => {
    expect(mayAssign(actor, role, 'CHANNELS')).toBe(may)
  })

  it('of an administrator', () => {
    expect(mayAssign(administrator, adminRole, 'ORGANISATION')).toBe(true)
    expect(mayAssign({ ...administrator, role: 'USER' }, adminRole, 'ORGANISATION')).toBe(false)
  })
})
