import fc from 'fast-check'
import { expect, it } from 'vitest'
import { membersAfter } from '../../domain/scim/memberChanges.ts'
import { operationsIn, stepsOf } from '../../domain/scim/patch.ts'
import { groupSchema } from '../../domain/scim/schema.ts'
import { runs } from '../harness/runs.ts'

// Operations on members, one after the other, and what they do to a list.

const id = fc.constantFrom('a', 'b', 'c', 'd')
const ids = fc.uniqueArray(id, { maxLength: 3 })
const listed = (members: readonly string[]) => members.map((value) => ({ $ref: null, value }))
const without = (members: readonly string[], some: readonly string[]) => members.filter((one) => !some.includes(one))

type Drawn = { operation: object; after: (members: readonly string[]) => readonly string[] }
const operation: fc.Arbitrary<Drawn> = fc.oneof(
  ids.map(
    (some): Drawn => ({
      operation: { op: 'Add', path: 'members', value: listed(some) },
      after: (members) => [...members, ...some],
    }),
  ),
  fc.uniqueArray(id, { minLength: 1, maxLength: 3 }).map(
    (some): Drawn => ({
      operation: { op: 'remove', path: 'members', value: listed(some) },
      after: (members) => without(members, some),
    }),
  ),
  id.map(
    (one): Drawn => ({
      operation: { op: 'remove', path: `members[value eq "${one}"]` },
      after: (members) => without(members, [one]),
    }),
  ),
  ids.map((some): Drawn => ({ operation: { op: 'replace', value: { members: some } }, after: () => some })),
  fc.constant<Drawn>({ operation: { op: 'remove', path: 'members' }, after: () => [] }),
)

it('are one change that does the same', () => {
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 6 }), ids, (drawn, before) => {
      const steps = operationsIn({ Operations: drawn.map((one) => one.operation) }).flatMap((one) =>
        stepsOf(one, groupSchema),
      )
      const { replaces, add, remove } = membersAfter(steps)
      const kept = replaces ? [] : before
      const wanted = drawn.reduce<readonly string[]>((members, { after }) => after(members), before)
      expect(new Set(without([...kept, ...add], [...remove]))).toEqual(new Set(wanted))
    }),
    { numRuns: runs(300) },
  )
})
