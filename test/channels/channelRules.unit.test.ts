import { describe, expect, it } from 'vitest'
import { readHolding } from '../../domain/people/channels/channelMembers.ts'
import type { Channel } from '../../domain/people/records/channel.ts'
import {
  attachmentItems,
  channelFrom,
  channelIn,
  channels,
  checkAssignableRole,
  checkAssignment,
  checkAttachable,
  patchedChannel,
} from '../../domain/people/records/channel.ts'
import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import type { Role } from '../../domain/people/records/role.ts'
import { users } from '../../domain/people/records/user.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { memoryStore } from '../harness/memoryStore.ts'
import { codeOf } from '../harness/refusal.ts'
import { groupRecord, userRecord } from '../harness/seed.ts'

const now = '2026-11-21T09:00:00.000Z'
const later = '2026-11-22T09:00:00.000Z'
const title = [{ language: 'en-GB', text: 'T' }]
const active: Channel = {
  id: 'i',
  title,
  description: title,
  status: 'ACTIVE',
  default_role_id: 'r',
  created_at: now,
  updated_at: now,
}
const archived: Channel = { ...active, status: 'ARCHIVED' }
const isArchived = 'CHANNEL_ARCHIVED channel_id'

describe('a channel', () => {
  it('as it is created', () => {
    const given = { id: 'i', memberRole: 'm', now }
    expect(channelFrom({ title, description: title, default_role_id: 'r' } as never, given)).toEqual(active)
    const least = { ...active, description: [], default_role_id: 'm' }
    expect(channelFrom({ title } as never, given)).toEqual(least)
    expect(channelFrom({ title, description: null, default_role_id: null } as never, given)).toEqual(least)
  })

  it.each([
    [{}, undefined],
    [{ title, description: title, default_role_id: 'r', id: 'j', status: 'ARCHIVED' }, undefined],
    [{ title: [] }, { title: [] }],
    [{ description: null }, { description: [] }],
    [{ default_role_id: 's' }, { default_role_id: 's' }],
    [{ default_role_id: null }, { default_role_id: 'm' }],
  ])('after %j', (body, changed) => {
    const after = patchedChannel(active, body as never, 'm', later)
    if (changed) expect(after).toEqual({ ...active, ...changed, updated_at: later })
    else expect(after).toBe(active)
    expect(codeOf(() => patchedChannel(archived, body as never, 'm', later))).toBe(isArchived)
  })

  it('is archived and restored', () => {
    expect(channelIn('ARCHIVED', active, later)).toEqual({ ...archived, updated_at: later })
    expect(codeOf(() => channelIn('ARCHIVED', archived, later))).toBe(isArchived)
    expect(channelIn('ACTIVE', archived, later)).toEqual({ ...active, updated_at: later })
    expect(codeOf(() => channelIn('ACTIVE', active, later))).toBe('CHANNEL_NOT_ARCHIVED channel_id')
  })
})

describe('how a user holds a role', () => {
  it('is read with the tree of groups as it is now, not as it was a moment ago', async () => {
    const id = { channel_id: 'i', user_id: 'u', role_id: 'r' }
    const holder = userRecord({ id: 'u' }, now)
    const holding = { group: 'g', role: 'member', source: 'MANUAL' } as const
    const storeWith = async (status: 'ACTIVE' | 'ARCHIVED') => {
      const group = groupItems(groupRecord('g', 'CUSTOM', status))
      const attached = attachmentItems('i', { group_id: 'g', role_id: 'r' })
      const items = [itemOf(channels, active), ...group, ...attached, itemOf(users, holder)]
      return memoryStore([...items, groupAssignmentItem(holder, holding)]).store
    }
    const [open, closed] = [await storeWith('ACTIVE'), await storeWith('ARCHIVED')]
    const reading = (latest: typeof open, earlier: typeof open) => {
      const query: typeof open.query = (range) => (range.consistent ? latest : earlier).query(range)
      return readHolding({ store: { ...latest, query }, now } as never, id)
    }
    await expect(reading(open, closed)).resolves.toMatchObject({ id, source: 'USER_GROUP', own: undefined })
    await expect(reading(closed, open)).rejects.toMatchObject({ code: 'CHANNEL_USER_ASSIGNMENT_NOT_FOUND' })
  })
})

describe('a role on a channel', () => {
  const actor = { kind: 'USER', role: 'ADMIN', status: 'ACTIVE' } as const
  const role = { id: 'r', scope: 'CHANNELS', assignable: true } as Role
  const user = userRecord({}, now)

  it('exists and may be given', () => {
    expect(checkAssignableRole(role, actor, 'p')).toBe(role)
    expect(codeOf(() => checkAssignableRole(undefined, actor, 'p'))).toBe('ROLE_NOT_FOUND p')
    const other = { ...role, scope: 'USER_GROUPS' } as Role
    expect(codeOf(() => checkAssignableRole(other, actor, 'p'))).toBe('ROLE_NOT_ASSIGNABLE p')
  })

  it('is refused for the channel, then the user, then the role', () => {
    const parties = { channel: active, user, role, actor }
    const locked = userRecord({ status: 'LOCKED' }, now)
    expect(checkAssignment(parties)).toEqual({ user, role })
    expect(codeOf(() => checkAssignment({ ...parties, role: undefined }))).toBe('ROLE_NOT_FOUND role_id')
    for (const one of [undefined, locked])
      expect(codeOf(() => checkAssignment({ ...parties, user: one, role: undefined }))).toBe(
        'USER_NOT_ASSIGNABLE user_id',
      )
    expect(codeOf(() => checkAssignment({ ...parties, channel: archived, user: undefined }))).toBe(isArchived)
  })

  it('is conferred by a group that is active', () => {
    const group = groupRecord('g')
    expect(checkAttachable(active, group)).toBe(group)
    for (const one of [undefined, groupRecord('g', 'CUSTOM', 'ARCHIVED')]) {
      expect(codeOf(() => checkAttachable(active, one))).toBe('INVALID_USER_GROUP user_group_id')
      expect(codeOf(() => checkAttachable(archived, one))).toBe(isArchived)
    }
  })
})
