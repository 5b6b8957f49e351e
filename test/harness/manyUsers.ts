import { type Group, groupItems } from '../../domain/groups/group.ts'
import { importedUser } from '../../domain/import/importedUser.ts'
import type { Action, Item, Key, Store } from '../../domain/table/store.ts'
import { creation } from '../../domain/users/userWrites.ts'
import type { Directory } from '../../local/demo.ts'

type Loading = {
  now: string
  /** Called from time to time with the number of users that are in. */
  onProgress?: (users: number) => void
}

const CHUNK = 100
const SHARDS_USED = 32

/**
 * Brings a directory's groups, attribute definitions and users in as the service's own writes would have left them, but
 * without conditions and with each counter written once: for tables that nobody uses yet.
 */
export async function loadDirectory(store: Store, directory: Directory, { now, onProgress }: Loading): Promise<void> {
  const { user_groups = [], users = [] } = directory
  const groups = user_groups.map((group): Group => {
    const { description = [], status = 'ACTIVE', parent_id = null, external_id = null } = group
    return { ...group, description, status, parent_id, external_id, created_at: now, updated_at: now }
  })
  await store.bulk(groups.flatMap(groupItems).map((put) => ({ put })))
  const counters = new Map<string, Item>()
  for (let start = 0; start < users.length; start += CHUNK) {
    const actions = users.slice(start, start + CHUNK).flatMap((body, index) => {
      const user = importedUser(body as never, { id: body.id, now, group: body.primary_user_group_id ?? 'all-users' })
      const around = { now, shard: (start + index) % SHARDS_USED, memberRole: 'group-member' }
      return creation(user, around, () => new Error('id taken'))
    })
    for (const action of actions) if ('update' in action) count(counters, action)
    await store.bulk(actions.flatMap((action) => ('put' in action ? [{ put: action.put }] : [])))
    onProgress?.(Math.min(start + CHUNK, users.length))
  }
  const counts = [...counters.values()].map(adding)
  for (let start = 0; start < counts.length; start += 100) await store.write(counts.slice(start, start + 100))
}

/** What an update adds, done in memory on top of what is counted so far. */
function count(counters: Map<string, Item>, { update: { pk, sk }, add = {} }: Extract<Action, { update: Key }>): void {
  const counter: Item = counters.get(`${pk} ${sk}`) ?? { pk, sk }
  counters.set(`${pk} ${sk}`, counter)
  for (const [name, by] of Object.entries(add)) counter[name] = Number(counter[name] ?? 0) + Number(by)
}

const adding = ({ pk, sk, ...add }: Item): Action => ({ update: { pk, sk }, add })
