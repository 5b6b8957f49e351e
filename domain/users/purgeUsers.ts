import { type Organisation, readOrganisation } from '../organisation/organisation.ts'
import { roleUse } from '../roles/roleUse.ts'
import * as keys from '../store/keys.ts'
import { type Action, happened, type Item, type Key, type Store } from '../store/store.ts'

/** What a purge needs from outside: `timeLeft` answers milliseconds. */
export type PurgeContext = { store: Store; now: string; timeLeft: () => number; log: (line: object) => void }

/** What a purge did. `left` says that due users remain for the next run. */
export type PurgeSummary = { purged: number; failed: number; left: boolean }

/** While there is somebody to remove. */
type Purging = PurgeContext & Pick<Organisation, 'predefined'>

/** Users at once: enough to fill the waiting time of one another's calls. */
const SIDE_BY_SIDE = 8
/** A run stops this long before its time is over, so that none is cut off within a call. */
const RESERVE_MS = 5000

/**
 * Removes all that remains of users whose deadline has passed, but for the tombstone of their ids. Every step may be
 * repeated, and two runs may meet: the record is claimed first, the entry that makes a user due is removed last.
 */
export async function purgeUsers(context: PurgeContext): Promise<PurgeSummary> {
  const summary: PurgeSummary = { purged: 0, failed: 0, left: false }
  let after: Record<string, unknown> | undefined
  do {
    const page = await context.store.query({ ...keys.overdue(context.now), limit: 100, ...(after ? { after } : {}) })
    await purgePage(context, page.items, summary)
    after = page.next
  } while (after && !summary.left)
  context.log({ level: summary.failed > 0 ? 'error' : 'info', endpoint: 'purge', ...summary })
  return summary
}

async function purgePage(context: PurgeContext, entries: readonly Item[], summary: PurgeSummary): Promise<void> {
  if (entries.length === 0) return
  const { predefined } = await readOrganisation(context.store)
  const waiting = [...entries]
  const work = async (): Promise<void> => {
    for (let entry = waiting.shift(); entry && !summary.left; entry = waiting.shift())
      await attempt({ ...context, predefined }, entry, summary)
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work))
}

async function attempt(context: Purging, entry: Item, summary: PurgeSummary): Promise<void> {
  try {
    const isDone = context.timeLeft() >= RESERVE_MS && (await purgeUser(context, entry))
    if (isDone) summary.purged++
    else summary.left = true
  } catch (error) {
    // One user who cannot be removed now must not keep the others in the table; the next run tries again.
    summary.failed++
    context.log({ level: 'error', endpoint: 'purge', fault: (error as Error).name })
  }
}

/** Removes one user; false when the time was too short for all of his records. */
async function purgeUser(context: Purging, entry: Item): Promise<boolean> {
  const id = keys.userOfPurge(entry.sk)
  if (await claimed(context, id)) {
    if (!(await emptied(context, id))) return false
    await freed(context.store, id, entry)
  }
  await context.store.write([{ delete: { pk: entry.pk, sk: entry.sk } }])
  return true
}

/** Takes the record of a user who is due. False if he is not, having been restored after all: only the entry is stale. */
async function claimed({ store, now }: PurgeContext, id: string): Promise<boolean> {
  const claim = { if: 'attribute_not_exists(#pk) OR #deletion_at <= :now', values: { now } }
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
      if (context.timeLeft() < RESERVE_MS) return false
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
    ? { update: keys.channelCountKey(place, role), change: 'ADD #count :less', values: { less: -1 } }
    : {
        update: keys.groupCountKey(place, shard),
        change: 'ADD #role :less',
        names: { role: keys.roleCount(role) },
        values: { less: -1 },
      }
  const end: Action = { delete: { pk, sk }, if: 'attribute_exists(#pk)' }
  await happened(store.write([end, count, ...roleUse(predefined, role, -1, shard)]))
}

async function anonymize(store: Store, { pk, sk }: Item): Promise<void> {
  const nameless: Action = {
    update: { pk, sk },
    change: 'SET #found = :found REMOVE #list, #by_created_at, #by_updated_at, #by_due_at, #by_changed_at',
    if: 'attribute_exists(#pk)',
    values: { found: keys.place(undefined, pk.slice('USER#'.length)) },
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
    if (held?.owner === owner) await happened(store.write([{ delete: key, if: '#owner = :owner', values: { owner } }]))
  }
  await Promise.all(reservations.map(free))
}
