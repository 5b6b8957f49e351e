import { creationOfImported, importedUser } from '../../domain/import/importedUser.ts'
import type { Group } from '../../domain/people/records/group.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import type { Action, WorkStore } from '../../domain/table/store.ts'
import type { Directory } from '../../local/demo/demo.ts'
import { type Counters, putAll, writeCounts } from './bulk.ts'

type Loading = {
  now: string
  /** Called from time to time with the number of users that are in. */
  onProgress?: (users: number) => void
}

const CHUNK = 100
const SHARDS_USED = 32

/**
 * Brings a directory's groups, attribute definitions and users in as the service's own writes would have left them, but
 * without conditions and with each counter written once: for tables not in use yet.
 */
export async function loadDirectory(
  store: WorkStore,
  directory: Directory,
  { now, onProgress }: Loading,
): Promise<void> {
  const { user_groups = [], users = [] } = directory
  const groups = user_groups.map((group): Group => {
    const { description = [], status = 'ACTIVE', parent_id = null, external_id = null } = group
    return { ...group, description, status, parent_id, external_id, created_at: now, updated_at: now }
  })
  await store.bulk(groups.flatMap(groupItems).map((put) => ({ put })))
  const counters: Counters = new Map()
  for (let start = 0; start < users.length; start += CHUNK) {
    const actions = users
      .slice(start, start + CHUNK)
      .flatMap((body, index) => creationOf(body, { now, shard: (start + index) % SHARDS_USED }))
    await putAll(store, actions, counters)
    onProgress?.(Math.min(start + CHUNK, users.length))
  }
  await writeCounts(store, counters)
}

type ImportedUser = NonNullable<Directory['users']>[number]

/** The actions that create a user, as the service's own writes have them. */
export function creationOf(body: ImportedUser, context: { now: string; shard: number }): Action[] {
  const { now } = context
  const user = importedUser(body as never, { id: body.id, now, group: body.primary_user_group_id ?? 'all-users' })
  return creationOfImported(user, { ...context, memberRole: 'group-member' })
}
