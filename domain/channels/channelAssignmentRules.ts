import { refuse } from '../base/errors.ts'
import type { Group } from '../groups/group.ts'
import type { Actor } from '../request/context.ts'
import type { Role } from '../roles/role.ts'
import { mayAssign } from '../roles/roleRules.ts'
import type { UserRecord } from '../users/userRecord.ts'
import type { Channel } from './channel.ts'

type Parties = { channel: Channel; user: UserRecord | undefined; role: Role | undefined; actor: Actor }

/** Answers who gets which role, or refuses: first for the channel, then for the user, then for the role. */
export function checkChannelAssignable({ channel, user, role, actor }: Parties): {
  assignee: UserRecord
  assigned: Role
} {
  if (channel.status === 'ARCHIVED') throw refuse('CHANNEL_ARCHIVED', 'channel_id')
  if (user?.status !== 'ACTIVE') throw refuse('USER_NOT_ASSIGNABLE', 'user_id')
  return { assignee: user, assigned: checkHandedOut(role, actor, 'role_id') }
}

/** Answers the role that is to be held on a channel, or refuses one that does not exist or is not the actor's to give. */
export function checkHandedOut(role: Role | undefined, actor: Actor, property: string): Role {
  if (!role) throw refuse('ROLE_NOT_FOUND', property)
  if (!mayAssign(actor, role, 'CHANNELS')) throw refuse('ROLE_NOT_ASSIGNABLE', property)
  return role
}

/** Answers the group that is to be attached to a channel, or refuses; what it would confer is not looked at here. */
export function checkAttachable(channel: Channel, group: Group | undefined): Group {
  if (channel.status === 'ARCHIVED') throw refuse('CHANNEL_ARCHIVED', 'channel_id')
  if (group?.status !== 'ACTIVE') throw refuse('INVALID_USER_GROUP', 'user_group_id')
  return group
}
