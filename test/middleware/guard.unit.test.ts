import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Store } from '../../domain/table/store.ts'
import { guarded } from '../../handlers/middleware/authorize.ts'

// What an operation asks of the table while its caller is being checked.

const key = { pk: 'a', sk: 'b' }
const uses = {
  get: (store: Store) => store.get(key),
  getEventual: (store: Store) => store.getEventual(key),
  query: (store: Store) => store.query({ hash: 'a' }),
  write: (store: Store) => store.write([{ check: key }]),
}
type Use = keyof typeof uses
const all = Object.keys(uses) as Use[]
const isRead = (use: Use): boolean => use !== 'write'

/** A guarded store, what has reached the store behind it, and the verdict. */
function guardedStore(refusalIsLikely = false) {
  const reached: Use[] = []
  const reach = (use: Use) => async () => {
    reached.push(use)
    return undefined as never
  }
  const behind = Object.fromEntries(all.map((use) => [use, reach(use)])) as unknown as Store
  const { promise: verdict, resolve: permit, reject: refuse } = Promise.withResolvers<void>()
  return { store: guarded(behind, verdict, refusalIsLikely), reached, permit, refuse }
}

/** Settles what needs no answer. */
const settled = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await turn()
}

const anyUses = fc.array(fc.constantFrom(...all), { maxLength: 12 })

it('before the verdict only reads of the first wave run; after it all do', async () => {
  await fc.assert(
    fc.asyncProperty(anyUses, anyUses, async (first, later) => {
      const { store, reached, permit } = guardedStore()
      const asked = first.map((use) => uses[use](store))
      await settled()
      asked.push(...later.map((use) => uses[use](store)))
      await settled()
      expect(reached).toEqual(first.filter(isRead))
      permit()
      await Promise.all(asked)
      expect(reached.toSorted()).toEqual([...first, ...later].sort())
    }),
  )
})

it('where a refusal is likely, nothing runs before the verdict', async () => {
  const { store, reached, permit } = guardedStore(true)
  const asked = all.map((use) => uses[use](store))
  await settled()
  expect(reached).toEqual([])
  permit()
  await Promise.all(asked)
  expect(reached.toSorted()).toEqual(all.toSorted())
})

it('a read behind promises that need no answer is of the first wave', async () => {
  const { store, reached } = guardedStore()
  const operation = async () => {
    for (let n = 0; n < 20; n++) await Promise.resolve()
    return store.get(key)
  }
  void operation()
  await settled()
  expect(reached).toEqual(['get'])
})

it('a refusal ends all that waits for the verdict', async () => {
  const { store, reached, refuse } = guardedStore()
  await settled()
  const asked = all.map((use) => uses[use](store))
  refuse(new Error('refused'))
  const outcomes = await Promise.allSettled(asked)
  expect(outcomes.map(({ status }) => status)).toEqual(all.map(() => 'rejected'))
  expect(reached).toEqual([])
})
