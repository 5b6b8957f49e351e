import { expect, it } from 'vitest'
import type { Action, Store } from '../../domain/table/store.ts'
import type { ProgressByUser } from '../../domain/table/workKinds.ts'
import { entriesFor, writeInAdvance } from '../../domain/tasks/addRecipients.ts'
import { itemSize } from '../harness/capacity.ts'

const MOST_BYTES = 4 * 1024 * 1024

it('entries that are written without effect stay below 4 MB a transaction, also with the progress of each user', async () => {
  const userIds = Array.from({ length: 45_000 }, (_, n) => String(n).padStart(64, 'u'))
  const progress: ProgressByUser = Object.fromEntries(userIds.map((id) => [id, 'FINISHED']))
  const now = '2026-11-21T09:00:00.000Z'
  const written: (readonly Action[])[] = []
  const store = { write: async (actions: readonly Action[]) => void written.push(actions) } as unknown as Store
  const entries = entriesFor({ task: { id: 't', created_at: now }, userIds, now, id: 'work', progress })
  await writeInAdvance(store, entries)
  const items = written.map((actions) => actions.flatMap((action) => ('put' in action ? [action.put] : [])))
  expect(items.flat().map(({ sk }) => sk)).toEqual(entries.map(({ sk }) => sk))
  for (const some of items) {
    expect(some.length).toBeLessThanOrEqual(100)
    expect(some.reduce((bytes, item) => bytes + itemSize(item), 0)).toBeLessThan(MOST_BYTES)
  }
})
