import { refuse } from '../base/errors.ts'
import type { Group } from '../groups/group.ts'
import type { Actor, Input } from '../request/context.ts'
import { type Cleared, changedOrSame, mergePatch } from '../request/input.ts'
import { mayAssign, type Role } from '../roles/role.ts'
import type { UserRecord } from '../users/user.ts'
import { type Channel, checkActive } from './channel.ts'

type Creation = Input<'createChannel'>['body']
type Patch = Input<'updateChannel'>['body']

/** A channel as it is if a creation says nothing else. */
export const newChannel = (id: string, memberRole: string, now: string): Channel => ({
  id,
  title: [],
  description: [],
  status: 'ACTIVE',
  default_role_id: memberRole,
  created_at: now,
  updated_at: now,
})

/** What callers can set of a channel, and what null makes of it. */
const cleared = (memberRole: string): Cleared<Channel> => ({
  title: undefined,
  description: [],
  default_role_id: memberRole,
})

/** The channel that a creation asks for. */
export const channelFrom = (
  body: Creation,
  { id, memberRole, now }: { id: string; memberRole: string; now: string },
): Channel => mergePatch(newChannel(id, memberRole, now), body, cleared(memberRole))

/** The channel after a merge patch; the very same object where nothing changes. Refuses an archived channel. */
export function patchedChannel(channel: Channel, patch: Patch, memberRole: string, now: string): Channel {
  checkActive(channel)
  return changedOrSame(channel, mergePatch(channel, patch, cleared(memberRole)), { updated_at: now })
}

/** The channel when it is archived; refuses one that is archived. */
export function archivedChannel(channel: Channel, now: string): Channel {
  checkActive(channel)
  return { ...channel, status: 'ARCHIVED', updated_at: now }
}

/** The channel when it is active again; refuses one that is active. */
export function restoredChannel(channel: Channel, now: string): Channel {
  if (channel.status === 'ACTIVE') throw refuse('CHANNEL_NOT_ARCHIVED', 'channel_id')
  return { ...channel, status: 'ACTIVE', updated_at: now }
}

/** Answers the role that is to be held on a channel; refuses one that does not exist, or that the actor may not give. */
export function checkAssignableRole(role: Role | undefined, actor: Actor, property: string): Role {
  if (!role) throw refuse('ROLE_NOT_FOUND', property)
  if (!mayAssign(actor, role, 'CHANNELS')) throw refuse('ROLE_NOT_ASSIGNABLE', property)
  return role
}

type Parties = { channel: Channel; user: UserRecord | undefined; role: Role | undefined; actor: Actor }

/** Answers the user who is to get a role, and the role. Refuses first for the channel, then the user, then the role. */
export function checkAssignment({ channel, user, role, actor }: Parties): { user: UserRecord; role: Role } {
  checkActive(channel)
  if (user?.status !== 'ACTIVE') throw refuse('USER_NOT_ASSIGNABLE', 'user_id')
  return { user, role: checkAssignableRole(role, actor, 'role_id') }
}

/** Answers the group that is to be attached to a channel, or refuses. The role is not judged here. */
export function checkAttachable(channel: Channel, group: Group | undefined): Group {
  checkActive(channel)
  if (group?.status !== 'ACTIVE') throw refuse('INVALID_USER_GROUP', 'user_group_id')
  return group
}
