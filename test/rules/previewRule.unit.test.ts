import fc from 'fast-check'
import { expect, it } from 'vitest'
import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import type { UserRecord } from '../../domain/people/records/user.ts'
import { users as records } from '../../domain/people/records/user.ts'
import { factsOf, matcherOf } from '../../domain/people/rules/matching.ts'
import { lookAtUsers } from '../../domain/people/rules/previewRule.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { groupList } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { memoryStore } from '../harness/memoryStore.ts'
import { runs } from '../harness/runs.ts'
import { userRecord } from '../harness/seed.ts'

// Previews with small budgets in small directories, against a model that looks at every user.

const now = '2026-11-21T09:00:00.000Z'
const list = groupList('crew', 'coach')

const person = fc.record({
  last_name: fc.constantFrom('Bo', 'Ödön', 'Zoë', 'bo'),
  department: fc.option(fc.constantFrom('Sales', 'SALES', 'Legal')),
  tag: fc.option(fc.constantFrom('red', 'blue')),
  status: fc.constantFrom('ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'),
  role: fc.constantFrom('USER', 'USER', 'ADMIN'),
  source: fc.option(fc.constantFrom('MANUAL', 'RULE', 'PRIMARY')),
})
const directory = fc.array(person, { maxLength: 40 }).map((people) =>
  people.map(({ department, tag, source, ...rest }, n) => ({
    source,
    user: userRecord(
      {
        id: `u${n}`,
        ...rest,
        ...(rest.status === 'PENDING_DELETION' ? { deletion_at: '2026-12-01T09:00:00.000Z' } : {}),
        attributes: department === null ? [] : [{ name: 'department', value: department }],
        tags: tag === null ? [] : [{ name: tag }],
      },
      now,
    ) as UserRecord,
  })),
)
const byHint = { field: 'ATTRIBUTE:department', operator: 'EQUALS', values: ['sales'] } as const
const byRecord = { field: 'TAG', operator: 'EQUALS', values: ['RED'] } as const
const matching = fc.record({
  match: fc.constantFrom('ALL', 'ANY'),
  conditions: fc.constantFrom([byHint], [byRecord], [byHint, byRecord]),
  except_user_ids: fc.subarray(['u1', 'u2']),
})
type Directory = typeof directory extends fc.Arbitrary<infer D> ? D : never

const itemsOf = (people: Directory): Item[] =>
  people.flatMap(({ user, source }) => [
    itemOf(records, user),
    ...(source === null ? [] : [groupAssignmentItem(user, { group: 'crew', role: 'coach', source })]),
  ])

const look = (people: Directory, asked: Parameters<typeof matcherOf>[0], rows: number, held?: string) =>
  lookAtUsers(
    { store: memoryStore(itemsOf(people)).store, now },
    { matcher: matcherOf(asked), held },
    { rows, bytes: 1_000_000 },
  )

it('looks at everybody who is not pending deletion, if the budget allows it', async () => {
  await fc.assert(
    fc.asyncProperty(directory, matching, async (people, asked) => {
      const matches = matcherOf(asked)
      const living = people.filter(({ user }) => user.status !== 'PENDING_DELETION')
      const [fit, unfit] = [true, false].map((is) => living.filter(({ user }) => matches(factsOf(user)) === is)) as [
        Directory,
        Directory,
      ]
      const { matched, ...counts } = await look(people, asked, 5_000, list)
      expect(matched.map(({ id }) => id).sort()).toEqual(fit.map(({ user }) => user.id).sort())
      expect(counts).toEqual({
        lookedAt: living.length,
        gaining: fit.filter(({ source }) => source === null).length,
        losing: unfit.filter(({ source }) => source === 'RULE').length,
      })
    }),
    { numRuns: runs(200) },
  )
})

it('looks at fewer users within a small budget, and says of each what is right', async () => {
  let isCut = false
  await fc.assert(
    fc.asyncProperty(directory, matching, fc.integer({ min: 1, max: 120 }), async (people, asked, rows) => {
      const { store, use } = memoryStore(itemsOf(people))
      const matcher = matcherOf(asked)
      const { matched, ...counts } = await lookAtUsers(
        { store, now },
        { matcher, held: list },
        { rows, bytes: 1_000_000 },
      )
      const used = use()
      expect(used.rows + 16 * used.records).toBeLessThanOrEqual(rows)
      const byId = new Map(people.map((one) => [one.user.id, one]))
      for (const { id } of matched) expect(matcher(factsOf(byId.get(id)?.user as UserRecord))).toBe(true)
      const unheld = matched.filter(({ id }) => byId.get(id)?.source === null)
      expect(counts.gaining).toBe(unheld.length)
      expect(counts.lookedAt).toBeGreaterThanOrEqual(matched.length + counts.losing)
      isCut ||= counts.lookedAt < people.filter(({ user }) => user.status !== 'PENDING_DELETION').length
    }),
    { numRuns: runs(300) },
  )
  expect(isCut).toBe(true)
})

it('reads no record where rows decide', async () => {
  const people: Directory = Array.from({ length: 60 }, (_, n) => ({
    source: null,
    user: userRecord({ id: `u${n}`, attributes: [{ name: 'department', value: n % 2 ? 'Sales' : 'Legal' }] }, now),
  }))
  const { store, use } = memoryStore(itemsOf(people))
  const asked = { match: 'ALL', conditions: [byHint], except_user_ids: [] } as const
  const looked = await lookAtUsers({ store, now }, { matcher: matcherOf(asked) }, { rows: 60, bytes: 1_000_000 })
  expect([looked.lookedAt, looked.matched.length, use().records]).toEqual([60, 30, 0])
})
