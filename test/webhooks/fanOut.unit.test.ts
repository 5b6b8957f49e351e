import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OutboxEntry } from '../../domain/table/outbox.ts'
import { inChains, withPrevious } from '../../domain/webhooks/fanOut.ts'
import { runs } from '../harness/runs.ts'

/** An entry with one event of each of these records: the nth of the record. */
const entry = (sk: string, events: Record<string, number>): OutboxEntry => ({
  pk: 'OUTBOX#00',
  sk,
  events: Object.entries(events).map(([record, nth]) => ({
    key: { pk: `EVENTS#${record}`, sk: `${nth}` },
    type: 'role.updated',
    record,
    ...(nth > 1 ? { previous: `${nth - 1}` } : {}),
  })),
})
const namesOf = (entries: readonly OutboxEntry[]) => entries.map(({ sk }) => sk)

describe('what the outbox names', () => {
  it('comes in chains', () => {
    const entries = [entry('third', { b: 2, c: 1 }), entry('second', { a: 2, b: 1 }), entry('first', { a: 1 })]
    expect([...inChains(entries)].map(namesOf)).toEqual([['first'], ['second'], ['third']])
    expect([...inChains([entry('one', { a: 7 }), entry('other', { b: 9 })])].map(namesOf)).toEqual([['one', 'other']])
    expect([...inChains([])]).toEqual([])
    const wake = { pk: 'OUTBOX#00', sk: 'wake', events: [] }
    expect([...inChains([wake])]).toEqual([[wake]])
  })

  it('is completed by what the second reading finds before it, and by nothing else', () => {
    const first = [entry('late', { a: 3 })]
    const second = [
      ...first,
      entry('middle', { a: 2, b: 5 }),
      entry('early', { a: 1 }),
      entry('before', { b: 4 }),
      entry('later', { a: 4 }),
      entry('other', { c: 1 }),
    ]
    expect(namesOf(withPrevious(first, second)).sort()).toEqual(['before', 'early', 'late', 'middle'])
    expect(namesOf(withPrevious(first, []))).toEqual(['late'])
  })

  it('is never in a group before that of an earlier event of its record', () => {
    const histories = fc.array(fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }), { maxLength: 12 })
    fc.assert(
      fc.property(histories, fc.nat(), (history, shift) => {
        const counts: Record<string, number> = {}
        const entries = history.map((records, n) =>
          entry(
            String(n),
            Object.fromEntries(
              records.map((record) => {
                counts[record] = (counts[record] ?? 0) + 1
                return [record, counts[record]]
              }),
            ),
          ),
        )
        const shuffled = entries.map((_, n) => entries[(n + shift) % entries.length] as OutboxEntry)
        const last: Record<string, number> = {}
        const groups = [...inChains(shuffled)]
        expect(groups.flat()).toHaveLength(entries.length)
        for (const event of groups.flatMap((group) => group.flatMap(({ events }) => events))) {
          expect(Number(event.key.sk)).toBe((last[event.record] ?? 0) + 1)
          last[event.record] = Number(event.key.sk)
        }
      }),
      { numRuns: runs(100) },
    )
  })
})
