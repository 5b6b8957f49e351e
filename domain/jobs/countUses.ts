import { roles, statuses } from '../../schemas/values.ts'
import { readPlaces } from '../attributes/attributeDefinition.ts'
import { sideBySide, slices } from '../base/sideBySide.ts'
import { SHARDS } from '../table/counters.ts'
import { exists, has } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import * as places from '../table/places.ts'
import { retrying } from '../table/retry.ts'
import { type Action, happened } from '../table/store.ts'
import { pack } from '../table/transactions.ts'
import { type Entry, endWork, isLate, moveOn, type Work } from '../table/work.ts'
import { attributeNames, type UserRecord, users } from '../users/user.ts'
import { countUser, usesChanged } from '../users/userCounts.ts'

// An earlier version of the service did not count who has values of attributes. In its tables they are counted once.

/** Users per page of a list. */
const PAGE = 500
/** Users counted in one transaction, where each takes one or two actions, and such transactions at once. */
const TOGETHER = 40
const SIDE_BY_SIDE = 4

const lists = statuses.flatMap((status) => roles.map((role) => places.userList(status, role)))

/**
 * Walks through all users and counts the values that are not counted yet. Every change of a user counts theirs too, so a
 * user who moves from list to list meanwhile is not missed. May be repeated, and two may run at once.
 */
export async function finishCounting(work: Work, entry: Entry<'counting'>): Promise<void> {
  const { store } = work
  // The lists before this one are done, and in this one all users up to `after`.
  let at = entry.at ?? { list: 0 }
  for (let hash = lists[at.list]; hash !== undefined; hash = lists[at.list]) {
    const range = { index: 'by_last_name', hash, limit: PAGE, ...(at.after ? { after: at.after } : {}) }
    const { items, next } = await store.query(range)
    await countAll(work, items.map(keys.userOfRow))
    if (isLate(work)) return
    at = next ? { list: at.list, after: next } : { list: at.list + 1 }
    // If another run has finished meanwhile, the entry is gone and stays so.
    await happened(store.write([moveOn(entry, { at })]))
  }
  for (const name of (await readPlaces(store)).names)
    await happened(store.write([{ update: keys.attributeKey(name), clear: ['data/used'], if: has('data/used') }]))
  await store.write([endWork(entry)])
}

async function countAll(work: Work, ids: readonly string[]): Promise<void> {
  let nth = 0
  await sideBySide(SIDE_BY_SIDE, slices(ids, TOGETHER), async (some) => {
    const shard = nth++ % SHARDS
    if (!isLate(work)) await retrying(() => count(work, some, shard))
  })
}

/** Counts the values of some users, as they are now. */
async function count({ store }: Work, ids: readonly string[], shard: number): Promise<void> {
  const found = await Promise.all(ids.map((id) => users.read(store, id)))
  const uncounted = found.filter((user) => user !== undefined).filter((user) => usesChanged(user, user).by.length > 0)
  for (const { actions } of pack(uncounted, (user) => counting(user, shard))) await store.write(actions)
}

/** Each write of a user counts their attributes. The entry of their purge says what it must count off again. */
function counting(user: UserRecord, shard: number): Action[] {
  const { id, version, deletion_at } = user
  const after = { ...user, version: version + 1 }
  const purge = deletion_at
    ? [{ update: keys.purgeKey(deletion_at, id), set: { attributes: attributeNames(user) }, if: exists }]
    : []
  return [users.replace(user, after), ...countUser(user, after, { shard }), ...purge]
}
