import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Choice, changesOf, differences, merged, naturalChoice } from '../../console/data/merge.ts'

const record = fc.record({
  a: fc.constantFrom('1', '2', '3'),
  b: fc.constantFrom('1', '2', '3'),
  c: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
})
const choices = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom<Choice>('MINE', 'THEIRS'))
type Fields = Record<string, unknown>
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

describe('two versions of a record', () => {
  it('differ in exactly the fields that somebody has changed', () => {
    fc.assert(
      fc.property(record, record, record, (before, mine, theirs) => {
        const changed = Object.keys(before).filter((field) => {
          const of = (version: Fields) => version[field]
          return !same(of(before), of(mine)) || !same(of(before), of(theirs))
        })
        expect(differences<Fields>(before, mine, theirs).map(({ field }) => field)).toEqual(changed)
      }),
    )
  })

  it('become one: a field that only one has changed is theirs who changed it, the others as chosen', () => {
    fc.assert(
      fc.property(record, record, record, choices, (before, mine, theirs, chosen) => {
        const fields = differences<Fields>(before, mine, theirs)
        const result: Fields = merged<Fields>(theirs, fields, chosen)
        for (const [field, value] of Object.entries(result)) {
          const of = (version: Fields) => version[field]
          const isMine = same(value, of(mine))
          expect(isMine || same(value, of(theirs))).toBe(true)
          if (chosen[field]) continue
          if (same(of(before), of(mine))) expect(value).toEqual(of(theirs))
          if (same(of(before), of(theirs))) expect(value).toEqual(of(mine))
        }
      }),
    )
  })

  it('leave open what both have changed to different values, and nothing else', () => {
    fc.assert(
      fc.property(record, record, record, (before, mine, theirs) => {
        for (const one of differences<Fields>(before, mine, theirs)) {
          const isOpen = !same(one.before, one.mine) && !same(one.before, one.theirs) && !same(one.mine, one.theirs)
          expect(naturalChoice(one) === undefined).toBe(isOpen)
        }
      }),
    )
  })

  it('give a patch that makes one of the other', () => {
    fc.assert(
      fc.property(record, record, (before, after) => {
        expect({ ...before, ...changesOf<Fields>(before, after) }).toEqual(after)
        expect(changesOf<Fields>(before, before)).toEqual({})
      }),
    )
  })
})
