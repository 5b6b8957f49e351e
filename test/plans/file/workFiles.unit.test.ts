import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PlanFiles } from '../../../domain/plans/file/storedFiles.ts'
import { filling, putWork, recordsOf } from '../../../domain/plans/file/workFiles.ts'

/** Files in memory. */
function memory(): PlanFiles {
  const all = new Map<string, Uint8Array>()
  return {
    put: async (name, bytes) => void all.set(name, bytes),
    get: async (name, part) => all.get(name)?.slice(part?.from, part?.to),
    list: async () => [],
    remove: async () => {},
    removeAll: async () => all.clear(),
  }
}

it('each part of several files has its records, in their order', async () => {
  const record = fc.record({ part: fc.nat(4), text: fc.string({ unit: 'binary' }) })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(record), { maxLength: 12 }), async (all) => {
      const files = memory()
      const names: string[] = []
      for (const some of all) {
        const box = filling(5)
        for (const { part, text } of some) box.add(part, { text })
        expect(box.records()).toBe(some.length)
        names.push(await putWork(files, 'x', box.whole()))
      }
      expect(new Set(names).size).toBe(names.length)
      for (let part = 0; part < 5; part++) {
        const found: unknown[] = []
        for await (const one of recordsOf(files, names, part)) found.push(one)
        const wanted = all.flat().filter((one) => one.part === part)
        // JSON has no lone surrogates: what is read is what JSON makes of it.
        expect(found).toEqual(wanted.map(({ text }) => JSON.parse(JSON.stringify({ text }))))
      }
    }),
  )
})

it('a file that is gone is an error', async () => {
  await expect(recordsOf(memory(), ['nothing'], 0).next()).rejects.toThrow('gone')
})
