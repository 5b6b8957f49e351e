import type { Client } from '../../client/src/index.ts'
import { isAdministrator, type Me } from '../shell/me.ts'
import type { Schemas } from './api.ts'
import { codeOf } from './problem.ts'

type Named = Pick<Schemas['Person'], 'id' | 'first_name' | 'last_name'>
type Reader = Pick<Me, 'role' | 'features'>

/** As many as the directory answers by their ids. */
const atOnce = 100

/** Answers nothing where a call is refused with this code. */
const unless = (code: string) => (problem: unknown) => {
  if (codeOf(problem) !== code) throw problem
  return undefined
}

/**
 * Reads the names of people by their ids, as far as `me` may. The directory answers many at once. It has no names of people who are
 * being deleted, and none while it is switched off: for these an administrator reads each user.
 */
export async function readNames(
  client: Client,
  ids: readonly string[],
  me: Reader,
  signal: AbortSignal | null = null,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const note = ({ id, first_name, last_name }: Named) => {
    const name = `${first_name} ${last_name}`.trim()
    if (name) names.set(id, name)
  }
  const findPeople = async (id: string[]): Promise<readonly Named[] | undefined> =>
    (await client.GET('/api/users/v4/users', { signal, params: { query: { id } } }).catch(unless('FEATURE_DISABLED')))
      ?.data.users
  const readUser = async (user_id: string): Promise<Named | undefined> => {
    const params = { path: { user_id } }
    const read = client.GET('/api/admin/users/v4/users/{user_id}', { signal, params })
    return (await read.catch(unless('USER_NOT_FOUND')))?.data
  }
  const all = [...new Set(ids)]
  for (let from = 0; from < all.length; from += atOnce) {
    const some = all.slice(from, from + atOnce)
    const people = me.features.people_directory ? await findPeople(some) : undefined
    people?.forEach(note)
    if (!isAdministrator(me)) continue
    const unnamed = (people?.map(({ id }) => id) ?? some).filter((id) => !names.has(id))
    const users = await Promise.all(unnamed.map(readUser))
    users.flatMap((user) => user ?? []).forEach(note)
  }
  return names
}
