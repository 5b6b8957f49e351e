import type { Context } from '../request/context.ts'
import { type Role, roleReference } from '../roles/role.ts'
import type { UserRecord } from '../users/userRecord.ts'
import { userReference } from '../users/userReference.ts'
import type { ChannelTriple } from './channelAssignmentWrites.ts'

type Embed = readonly ('USER' | 'ROLE' | 'ACTIONS')[] | undefined
type Shown = {
  id: ChannelTriple
  source: 'MANUAL' | 'USER_GROUP'
  user: UserRecord | undefined
  role: Role | undefined
  /** Nobody else holds the role directly: if it is the owner's, it cannot be taken away. */
  isLastOwner?: boolean
}

/** A role on a channel as every operation here answers it. */
export async function viewChannelAssignment(
  context: Context,
  { id, source, user, role, isLastOwner }: Shown,
  embed: Embed,
) {
  const isLast = role?.predefined_role_type === 'CHANNEL_OWNER' && isLastOwner === true
  return {
    id: { channel_id: id.channel_id, user_id: id.user_id, role_id: id.role_id },
    source,
    ...(embed?.includes('USER') ? { user: userReference(id.user_id, user) } : {}),
    ...(embed?.includes('ROLE') && role ? { role: await roleReference(context, role) } : {}),
    ...(embed?.includes('ACTIONS') ? { actions: { delete: { allowed: source === 'MANUAL' && !isLast } } } : {}),
  }
}
export type ChannelAssignmentView = Awaited<ReturnType<typeof viewChannelAssignment>>
