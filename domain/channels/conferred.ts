import { activeFrom, type GroupTree } from '../groups/groupTree.ts'
import { partsOfAssignment } from '../table/keys.ts'
import type { Item } from '../table/store.ts'
import type { Attachment } from './channel.ts'

/** Which groups confer which roles on a channel: the active ones among those attached and those below them. */
export function conferredRoles(attachments: readonly Attachment[], tree: GroupTree): Map<string, Set<string>> {
  const rolesOf = new Map<string, Set<string>>()
  for (const { group_id, role_id } of attachments)
    for (const group of activeFrom(tree, group_id)) rolesOf.set(group, (rolesOf.get(group) ?? new Set()).add(role_id))
  return rolesOf
}

/** Whether one of a user's group assignments confers the role on the channel. */
export const isConferred = (rolesOf: Map<string, Set<string>>, held: readonly Item[], role: string): boolean =>
  held.some((item) => rolesOf.get(partsOfAssignment(item).place)?.has(role))
