import { expect, it } from 'vitest'
import { removeGroups } from '../../domain/people/groups/removeGroups.ts'
import { groupEntry } from '../../domain/people/records/groupRules.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { keyOf, systemCause } from '../../domain/table/actions.ts'
import { textOfKey } from '../../domain/table/items.ts'
import { withEvents } from '../../domain/table/recording.ts'
import type { Action, Item, Key, Range, Store } from '../../domain/table/store.ts'
import { itemSize } from '../harness/capacity.ts'
import { groupRecord } from '../harness/seed.ts'
import { written } from '../table/written.ts'

const MOST_BYTES = 4 * 1024 * 1024

it('groups with the longest texts are removed in transactions of less than 4 MB', async () => {
  const now = '2026-11-21T09:00:00.000Z'
  const ids = ['top', ...Array.from({ length: 30 }, (_, n) => `below-${n}`)]
  const table = new Map<string, Item>()
  for (const id of ids) {
    const title = [{ language: 'en-GB', text: '𝒳'.repeat(20_000) }]
    const group = { ...groupRecord(id, 'CUSTOM', 'ARCHIVED'), title, parent_id: id === 'top' ? 'root' : 'top' }
    for (const item of groupItems(group)) table.set(textOfKey(item), item)
  }
  const sizes: number[] = []
  const sizeOf = (action: Action): number => {
    const item = 'put' in action ? action.put : table.get(textOfKey(keyOf(action)))
    return itemSize(item) + Buffer.byteLength(written(action.if)[0])
  }
  const store = {
    get: async (key: Key) => table.get(textOfKey(key)),
    query: async ({ hash }: Range) => {
      const items = [...table.values()].filter(({ pk }) => pk === hash)
      return { items, count: items.length }
    },
    write: async (actions: readonly Action[]) => {
      const all = withEvents(actions, {
        cause: systemCause('purge'),
        now: new Date(now),
        newId: () => 'e',
        keptDays: 1,
      })
      expect(all.length).toBeLessThanOrEqual(100)
      sizes.push(all.reduce((sum, action) => sum + sizeOf(action), 0))
      for (const action of all) if ('delete' in action) table.delete(textOfKey(action.delete))
    },
  } as unknown as Store
  const noRules = { rules: async () => undefined, hasRules: async () => false }
  const work = { store, now, clock: () => new Date(now), timeLeft: () => 60_000, predefined: {}, ...noRules }
  const { entries, isAll } = await removeGroups(work, groupEntry('top', 'delete', { now, token: 't', taker: 'CALL' }))
  expect([entries.length, isAll, table.size]).toEqual([ids.length, true, 0])
  expect(Math.max(...sizes)).toBeLessThan(MOST_BYTES)
})
