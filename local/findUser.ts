import { usernameKey } from '../domain/store/keys.ts'
import type { Store } from '../domain/store/store.ts'
import { readUser } from '../domain/users/userRecord.ts'
import type { FindUser } from './tokenEndpoint.ts'

const longestUsername = 255

/** Finds users for the local identity in the directory itself, as they are at this moment. */
export const findUserIn =
  (store: Pick<Store, 'get'>): FindUser =>
  async (by) => {
    const id = 'id' in by ? by.id : await ownerOf(store, by.username)
    return id === undefined ? undefined : readUser(store, id, new Date().toISOString())
  }

const ownerOf = async (store: Pick<Store, 'get'>, username: string) => {
  if (username.length > longestUsername) return undefined
  const owner = (await store.get(usernameKey(username)))?.owner
  return typeof owner === 'string' ? owner : undefined
}
