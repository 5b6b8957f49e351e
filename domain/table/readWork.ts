import { allWork, queueOf, workBeginningWith, workKey } from './keys.ts'
import { all } from './reader.ts'
import type { Store } from './store.ts'
import type { AnyEntry, Entry, Kind } from './workKinds.ts'

// Reads entries of noted work.

/** The entry of this kind and id. */
export const readWork = async <K extends Kind>(
  store: Pick<Store, 'get'>,
  kind: K,
  id: string,
): Promise<Entry<K> | undefined> => (await store.get(workKey(kind, id))) as Entry<K> | undefined

/** An entry as it is now. */
export const readEntry = async <E extends AnyEntry>(store: Pick<Store, 'get'>, { pk, sk }: E): Promise<E | undefined> =>
  (await store.get({ pk, sk })) as E | undefined

/** All entries of work. */
export const readAllWork = async (store: Pick<Store, 'query'>): Promise<AnyEntry[]> =>
  (await all(store, allWork)) as AnyEntry[]
/** All entries of one queue. */
export const readQueue = async (store: Pick<Store, 'query'>, queue: string): Promise<AnyEntry[]> => {
  const found = (await all(store, workBeginningWith(queue))) as AnyEntry[]
  return found.filter((entry) => queueOf(entry) === queue)
}
/** The entries that say to which users rules have yet to be applied. */
export const readRulesForUsers = async (store: Pick<Store, 'query'>): Promise<Entry<'settle'>[]> =>
  (await all(store, workBeginningWith('settle#'))) as Entry<'settle'>[]
/** The work on assignments that no longer count, but are still in lists. */
export const readGoneAssignments = async (store: Pick<Store, 'query'>): Promise<Gone[]> =>
  (await all(store, workBeginningWith('gone-'))) as Gone[]
type Gone = Entry<'gone-recipients'> | Entry<'gone-task'>
