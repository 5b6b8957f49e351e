import { describe, expect, it } from 'vitest'
import type { WorkStore } from '../../domain/table/store.ts'
import { combineWrites } from '../../domain/webhooks/combineWrites.ts'

type Changes = Parameters<WorkStore['bulk']>[0]

/** A store that keeps what it is asked to write in bulk, or fails. */
function recording(fault?: Error) {
  const written: Changes[] = []
  const bulk = async (changes: Changes) => {
    written.push(changes)
    if (fault) throw fault
  }
  return { store: combineWrites({ bulk } as WorkStore), written }
}
const key = (sk: string) => ({ pk: 'p', sk })

describe('changes in bulk', () => {
  it('of a few milliseconds are written together, and each waits until that is done', async () => {
    const { store, written } = recording()
    await Promise.all([store.bulk([{ put: key('a') }, { delete: key('b') }]), store.bulk([{ put: key('c') }])])
    expect(written).toEqual([[{ put: key('a') }, { delete: key('b') }, { put: key('c') }]])
    await store.bulk([{ put: key('d') }])
    expect(written).toHaveLength(2)
  })

  it('have one change of an item: the last one', async () => {
    const { store, written } = recording()
    await Promise.all([
      store.bulk([{ put: key('a') }, { put: { ...key('b'), n: 1 } }]),
      store.bulk([{ delete: key('a') }, { put: { ...key('b'), n: 2 } }]),
    ])
    expect(written).toEqual([[{ delete: key('a') }, { put: { ...key('b'), n: 2 } }]])
  })

  it('fail for all if they fail', async () => {
    const { store } = recording(new Error('busy'))
    const all = [store.bulk([{ put: key('a') }]), store.bulk([{ put: key('b') }])]
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
