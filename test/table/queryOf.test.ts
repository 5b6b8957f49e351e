import { beforeAll, expect, it } from 'vitest'
import { type Service, startService } from '../harness/service.ts'

let service: Service
const keys = ['a', 'ab', 'ab#', 'ab\u0001x', 'abc', 'ab😀', 'ab\u{10ffff}', 'ab\u{10ffff}\u{10ffff}z', 'ac', 'ac\u0001']
beforeAll(async () => {
  service = await startService()
  await service.store.bulk(keys.map((sk) => ({ put: { pk: 'BOUNDS', sk, find: 'BOUNDS', found: sk } })))
})

it.each(['a', 'ab', 'ab\u{10ffff}', 'abc', 'ac', 'b'])(
  'what begins with %j is read, and nothing else',
  async (text) => {
    const expected = keys.filter((key) => key.startsWith(text)).sort()
    for (const range of [{ hash: 'BOUNDS' }, { index: 'find', hash: 'BOUNDS' }]) {
      const { items } = await service.store.query({ ...range, beginsWith: text })
      expect(items.map(({ sk }) => sk).sort()).toEqual(expected)
    }
  },
)
