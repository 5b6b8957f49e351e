import { attachmentItems, channels } from '../../domain/people/records/channel.ts'
import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import type { UserRecord } from '../../domain/people/records/user.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { groupCountKey, roleCount } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { loadDirectory } from '../../test/harness/manyUsers.ts'
import { groupRecord } from '../../test/harness/seed.ts'
import { type Directory, generateDirectory, withServiceAccount } from '../demo/demo.ts'
import type { Bench } from './figures.ts'
import { newWorld, type World } from './world.ts'

export const SMALL = 1_000
export const LARGE = Number(process.env['BENCH_USERS'] ?? 100_000)
/** As many users as rows that a search reads first for a common word, so that these are the same in both directories. */
const MARKED = 499

/** Search terms, from one letter to one that all users match; the last ones have few matches, or none. */
export const TERMS = ['a', 'an', 'ann', 'large', 'large.example', 'a l', 'anna example', 'u', 'aabenraa', 'qqq']

const worlds = new Map<number, Promise<World>>()

/** A directory of this many users, filled by the writes of createUser without their conditions. All parts share it. */
export function filled(bench: Bench, users: number): Promise<World> {
  const world = worlds.get(users) ?? fill(bench, users)
  worlds.set(users, world)
  return world
}

/** A directory that no other part uses. */
export async function fill({ endpoint, say }: Bench, users: number): Promise<World> {
  const world = await newWorld(endpoint)
  const directory = generateDirectory({ users })
  const all: Directory = withServiceAccount({ ...directory, users: [...marked(), ...(directory.users ?? [])] })
  await load(world, all, say)
  return world
}

/** Brings users into a table that is not in use yet. */
export const load = ({ store, now }: World, directory: Directory, say: Bench['say']): Promise<void> =>
  loadDirectory(store, directory, { now, onProgress: (n) => say(`${n} of ${directory.users?.length} users made`) })

/** A group in which all of these users are coaches. */
export const groupOf = (group: string, users: readonly UserRecord[]): Item[] => [
  ...groupItems(groupRecord(group)),
  { ...groupCountKey(group, 0), [roleCount('coach')]: users.length },
  ...users.map((user) => groupAssignmentItem(user, { group, role: 'coach', source: 'MANUAL' })),
]

/** A channel whose members are those of these groups. */
export const channelOf = (id: string, groups: readonly string[], { now }: World): Item[] => [
  itemOf(channels, {
    id,
    title: [],
    description: [],
    status: 'ACTIVE',
    default_role_id: 'channel-member',
    created_at: now,
    updated_at: now,
  }),
  ...groups.flatMap((group_id) => attachmentItems(id, { group_id, role_id: 'channel-member' })),
]

/** Users who come first in every order, and are the only ones with these names and departments. */
const marked = (): NonNullable<Directory['users']> =>
  Array.from({ length: MARKED }, (_, n) => ({
    id: `aa-${n}`,
    username: `aabenraa.${n}`,
    first_name: 'Aaage',
    last_name: `Aabenraa`,
    email: `aabenraa.${n}@large.example`,
    external_id: `aa-${n}`,
    attributes: [
      { name: 'department', value: 'Aaa' },
      { name: 'location', value: 'Aaa' },
      { name: 'job_title', value: 'Lighthouse keeper' },
    ],
    primary_user_group_id: 'logistics',
  }))
