import { type Organisation, readOrganisation } from '../organisation/organisation.ts'
import { countRoleUse } from '../roles/role.ts'
import { SHARDS } from '../table/counters.ts'
import { absent, atMost, either, exists, is, lacks } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { useCount } from '../table/keys.ts'
import * as places from '../table/places.ts'
import { type Action, happened, type Item, type Key, type Store } from '../table/store.ts'
import { isLate, type Work } from '../table/work.ts'
import { addOutcome, type Outcome, type Scheduled, unlessDown, workThrough } from './workThrough.ts'

/** What a run did: users removed, pieces of work that failed, and whether some that are due remain for the next run. */
export type PurgeSummary = Outcome & { purged: number }

/** While there is somebody to remove. */
type Purging = Work & Pick<Organisation, 'predefined'>

/** Users at once: enough to fill the waiting time of one another's calls. */
const SIDE_BY_SIDE = 8

/**
 * Removes all that remains of users whose deadline has passed, but for the tombstone of their ids. Every step may be
 * repeated, and two runs may meet: the record is claimed first, the entry that makes a user due is removed last.
 */
export async function purgeUsers(context: Scheduled): Promise<PurgeSummary> {
  const { store } = context
  const summary: PurgeSummary = { purged: 0, failed: 0, left: false }
  const overdue = keys.overdue(context.clock().toISOString())
  return unlessDown(summary, async () => {
    let after: Record<string, unknown> | undefined
    do {
      const { items, next } = await store.query({ ...overdue, limit: 100, ...(after ? { after } : {}) })
      if (items.length > 0) {
        const { predefined } = await readOrganisation(store)
        const purge = async (work: Work, entry: Item): Promise<void> => {
          if (await purgeUser({ ...work, predefined }, entry)) summary.purged++
        }
        addOutcome(summary, await workThrough(context, { atOnce: SIDE_BY_SIDE, spares: 0 }, items, purge))
      }
      after = next
    } while (after && !summary.left)
  })
}

/** Removes one user; false when the time was too short for all of his records. */
async function purgeUser(context: Purging, entry: Item): Promise<boolean> {
  const id = keys.userOfPurge(entry.sk)
  const isDue = await claimed(context, id)
  if (isDue) {
    if (!(await emptied(context, id))) return false
    await freed(context.store, id, entry)
  }
  await happened(context.store.write(ended(entry, isDue)))
  return true
}

/** Ends an entry, and with it the uses of attributes: they are counted off once, and exactly those that it names. */
function ended({ pk, sk, attributes }: Item, isDue: boolean): Action[] {
  const names = (attributes ?? []) as string[]
  const same = names.length > 0 ? exists : lacks('attributes')
  const end: Action = { delete: { pk, sk }, if: same }
  if (!isDue || names.length === 0) return [end]
  const shard = Math.floor(Math.random() * SHARDS)
  return [end, { update: keys.userCountKey(shard), add: Object.fromEntries(names.map((name) => [useCount(name), -1])) }]
}

/** Takes the record of a user who is due. False if he is not, having been restored after all: only the entry is stale. */
async function claimed({ store, now }: Work, id: string): Promise<boolean> {
  const claim = { if: either(absent, atMost('deletion_at', now)) }
  return happened(store.write([{ delete: keys.userKey(id), ...claim }]))
}

/** Empties the user's own partition, page by page, but for the tombstone and his task assignments. */
async function emptied(context: Purging, id: string): Promise<boolean> {
  let after: Record<string, unknown> | undefined
  do {
    const page = await context.store.query({ ...keys.ofUser(id), ...(after ? { after } : {}) })
    const rest = page.items.filter(({ sk }) => sk !== keys.tombstoneKey(id).sk)
    const counted = rest.filter(keys.isAssignment)
    for (let start = 0; start < counted.length; start += SIDE_BY_SIDE) {
      if (isLate(context)) return false
      await Promise.all(counted.slice(start, start + SIDE_BY_SIDE).map((item, shard) => leave(context, item, shard)))
    }
    const others = rest.filter((item) => !keys.isAssignment(item))
    await context.store.bulk(others.map(({ pk, sk }) => ({ delete: { pk, sk } })))
    after = page.next
  } while (after)
  return true
}

/**
 * Ends an assignment and its count together; whoever comes second finds it gone and counts nothing. Of a task the
 * assignment stays with its progress, but under no name, and in no list of his own.
 */
async function leave({ store, predefined }: Purging, item: Item, shard: number): Promise<void> {
  const { pk, sk } = item
  if (sk.startsWith('TA#')) return item.list === undefined ? undefined : anonymize(store, item)
  const { place, role } = keys.partsOfAssignment({ pk, sk })
  const count: Action = sk.startsWith('CA#')
    ? { update: keys.channelCountKey(place, role), add: { count: -1 } }
    : { update: keys.groupCountKey(place, shard), add: { [keys.roleCount(role)]: -1 } }
  const end: Action = { delete: { pk, sk }, if: exists }
  await happened(store.write([end, count, ...countRoleUse(predefined, role, -1, shard)]))
}

async function anonymize(store: Store, { pk, sk }: Item): Promise<void> {
  const nameless: Action = {
    update: { pk, sk },
    set: { found: places.place(undefined, pk.slice('USER#'.length)) },
    clear: ['list', 'by_created_at', 'by_updated_at', 'by_location_or_due', 'by_username_or_change'],
    if: exists,
  }
  await happened(store.write([nameless]))
}

/** Gives up what the user had reserved, unless somebody else holds it by now. */
async function freed(store: Store, owner: string, entry: Item): Promise<void> {
  const reservations = [
    keys.usernameKey(String(entry['username'])),
    ...(entry['external_id'] ? [keys.externalIdKey(String(entry['external_id']))] : []),
  ]
  const free = async (key: Key): Promise<void> => {
    const held = await store.get(key)
    if (held?.owner === owner) await happened(store.write([{ delete: key, if: is({ owner }) }]))
  }
  await Promise.all(reservations.map(free))
}
