import { createRecord, replaceRecord } from '../../domain/table/changes.ts'
import { roleKey } from '../../domain/table/keys.ts'
import { defineRecord } from '../../domain/table/records.ts'
import type { Store } from '../../domain/table/store.ts'

/** A record whose changes have events and need nothing else in the table. */
export type Badge = { id: string; title: string; version: number }
const badges = defineRecord<Badge>({
  key: roleKey,
  idOf: ({ id }) => [id],
  versioned: true,
  events: { kind: 'role' },
})

/** Gives badges a title, in one transaction; creates those that do not exist. `begin` is called before it is written. */
export async function writeBadges(
  store: Store,
  ids: readonly string[],
  title: string,
  begin = () => {},
): Promise<void> {
  const found = await Promise.all(ids.map((id) => badges.read(store, id)))
  begin()
  await store.write(
    ids.map((id, n) => {
      const badge = found[n]
      return badge
        ? replaceRecord(badges, badge, { ...badge, title, version: badge.version + 1 })
        : createRecord(badges, { id, title, version: 1 })
    }),
  )
}
