import { roles, statuses } from '../../schemas/userRecords.ts'
import { readPlaces } from '../attributes/attributeDefinition.ts'
import { sideBySide, slices } from '../base/sideBySide.ts'
import { SHARDS } from '../table/counters.ts'
import { exists, has, is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { attributeKey } from '../table/keys.ts'
import * as places from '../table/places.ts'
import { retrying } from '../table/retry.ts'
import { type Action, happened } from '../table/store.ts'
import { type Entry, endWork, isLate, moveOn, type Work } from '../table/work.ts'
import { attributeNames, countedMark, type UserRecord, users } from '../users/user.ts'
import { usesChanged } from '../users/userCounts.ts'

// Tables that an earlier version of the service has filled: their users' values are counted once, user by user.

/** Users per page, and per transaction: each takes one action, two while they are pending deletion. */
const PAGE = 500
const TOGETHER = 40
const SIDE_BY_SIDE = 4

const lists = statuses.flatMap((status) => roles.map((role) => places.userList(status, role)))

/**
 * Walks all users and counts the values of those who have not been counted yet. A change of a user counts them too, so
 * nobody is missed who moves from list to list meanwhile. May be repeated, and two may be at it at once.
 */
export async function finishCounting(work: Work, entry: Entry<'counting'>): Promise<void> {
  const { store } = work
  // The lists before this one, and in this one what comes before `after`, are done.
  let at = entry.at ?? { list: 0 }
  for (let hash = lists[at.list]; hash !== undefined; hash = lists[at.list]) {
    const range = { index: 'by_last_name', hash, limit: PAGE, ...(at.after ? { after: at.after } : {}) }
    const { items, next } = await store.query(range)
    await countAll(work, items.map(keys.userOfRow))
    if (isLate(work)) return
    at = next ? { list: at.list, after: next } : { list: at.list + 1 }
    // Where another run has finished meanwhile, the entry does not come back.
    await happened(store.write([moveOn(entry, { at })]))
  }
  for (const name of (await readPlaces(store)).names)
    await happened(store.write([{ update: attributeKey(name), clear: ['data/used'], if: has('data/used') }]))
  await store.write([endWork(entry)])
}

async function countAll(work: Work, ids: readonly string[]): Promise<void> {
  let nth = 0
  await sideBySide(SIDE_BY_SIDE, slices(ids, TOGETHER), async (some) => {
    const shard = nth++ % SHARDS
    if (!isLate(work)) await retrying(() => count(work, some, shard))
  })
}

/** Counts the values of some users in one transaction, as they are now. */
async function count({ store }: Work, ids: readonly string[], shard: number): Promise<void> {
  const items = await Promise.all(ids.map((id) => store.get(keys.userKey(id))))
  const by = new Map<string, number>()
  const actions = items.flatMap((item) => {
    const user = item && users.of(item)
    const changes = user ? usesChanged(user, user).by : []
    for (const [attribute, one] of changes) by.set(attribute, (by.get(attribute) ?? 0) + one)
    return user && changes.length > 0 ? counting(user) : []
  })
  if (actions.length === 0) return
  const sum = [...by].filter(([, one]) => one !== 0)
  const counter = { update: keys.userCountKey(shard), add: Object.fromEntries(sum) }
  await store.write(sum.length > 0 ? [...actions, counter] : actions)
}

/** Notes on a user that they are counted; on what brings their end about, what will have to be counted off. */
function counting(user: UserRecord): Action[] {
  const { id, version, deletion_at } = user
  const { counted } = countedMark(user)
  const noted: Action = {
    update: keys.userKey(id),
    set: { 'data/counted': counted, 'data/version': version + 1 },
    if: is({ 'data/version': version }),
  }
  if (!deletion_at) return [noted]
  const update = keys.purgeKey(deletion_at, id)
  return [noted, { update, set: { attributes: attributeNames(user) }, if: exists }]
}
