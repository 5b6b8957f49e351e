import { slices } from '../base/sideBySide.ts'
import * as keys from '../table/keys.ts'
import * as places from '../table/places.ts'
import { all, type Item, type Store } from '../table/store.ts'
import { countedRoles } from './memberCounts.ts'

/** Members looked at together. */
const SLICE = 1000

/**
 * The assignments of a role in a group as they are now. The index that finds them may lag behind: `isAll` says that it has
 * shown exactly as many as are counted, and every one of them is there.
 */
export async function membersNow(
  store: Pick<Store, 'get' | 'query'>,
  group: string,
  role: string,
): Promise<{ items: Item[]; isAll: boolean }> {
  const [rows, shards] = await Promise.all([
    all(store, { index: 'by_last_name', hash: places.groupList(group, role) }),
    all(store, { ...keys.groupCounts(group), consistent: true }),
  ])
  const count = countedRoles(shards).get(role) ?? 0
  const items: Item[] = []
  for (const slice of slices(rows, SLICE)) {
    const found = await Promise.all(slice.map(({ pk, sk }) => store.get({ pk, sk })))
    items.push(...found.filter((item) => item !== undefined))
  }
  return { items, isAll: items.length === rows.length && items.length === count }
}
