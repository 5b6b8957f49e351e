import { loadDirectory } from '../../test/harness/manyUsers.ts'
import { type Directory, generateDirectory, withServiceAccount } from '../demo.ts'
import { type Say, shown } from './report.ts'
import { newWorld, type World } from './world.ts'

export const SMALL = 1_000
export const LARGE = Number(process.env['BENCH_USERS'] ?? 100_000)
/** As many users as rows that a search reads first for a common word, so that these are the same in both directories. */
const MARKED = 499

/** Search terms, from one letter to one that all users match; the last ones have few matches, or none. */
export const TERMS = ['a', 'an', 'ann', 'large', 'large.example', 'a l', 'anna example', 'u', 'aabenraa', 'qqq']

const worlds = new Map<number, Promise<World>>()

/** A directory of this many users, filled by the writes of createUser without their conditions. All sections share it. */
export function filled(endpoint: string, users: number, say: Say): Promise<World> {
  const world = worlds.get(users) ?? fill(endpoint, users, say)
  worlds.set(users, world)
  return world
}

/** A directory that no other section uses. */
export async function fill(endpoint: string, users: number, say: Say): Promise<World> {
  const world = await newWorld(endpoint)
  const directory = generateDirectory({ users })
  const all: Directory = withServiceAccount({ ...directory, users: [...marked(), ...(directory.users ?? [])] })
  const startedAt = performance.now()
  const rest = (done: number) => shown(((performance.now() - startedAt) / 1000 / done) * (users - done))
  await loadDirectory(world.store, all, {
    now: world.now,
    onProgress: (n) => say(`${n} of ${users} users made, ${rest(Math.min(n, users))} s to go`),
  })
  return world
}

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
