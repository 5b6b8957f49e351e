import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Judged, Taken } from '../../../domain/plans/file/judgeRow.ts'
import { faultsOfNames, inOrder, isLinked, NameUse, type Naming, type Unit } from '../../../domain/plans/file/names.ts'

const naming: Naming = { columns: { headerOf: (field) => (field === 'username' ? 'Login' : null) }, deletes: false }

type Move = { user: string; has?: string; wants?: string; holder?: string; until?: string }
const rowOf = ({ user, has, wants, holder, until }: Move, n: number): Judged => ({
  row: n + 1,
  user,
  changes: [{ action: 'UPDATE', fields: [], row: n + 1 }],
  faults: [],
  takes:
    wants === undefined
      ? []
      : [{ name: wants, field: 'username', ...(holder ? { holder } : {}), ...(until ? { until } : {}) } as Taken],
  gives: has === undefined ? [] : [has],
})

/** What is written of some rows: first those that wait for none, then the units. */
function outcome(moves: Move[]): Unit[] {
  const rows = moves.map(rowOf)
  const use = new NameUse()
  for (const row of rows) use.add(row)
  const shared = use.found()
  const free = rows
    .filter((row) => !isLinked(row, shared))
    .map((row) => {
      const faults = faultsOfNames(naming, row, shared)
      return [faults.length > 0 ? { ...row, changes: [], faults } : row]
    })
  const linked = rows.filter((row) => isLinked(row, shared))
  return [...free, ...inOrder(naming, linked, shared)]
}
const shown = (units: Unit[]) =>
  units.map((unit) =>
    unit.map(({ user, faults, changes }) =>
      faults.length > 0 ? `${user} ${faults[0]?.code}` : [user, changes[0]?.after ?? [], changes[0]?.together ?? []],
    ),
  )

it('a chain goes from its free end, in any order of rows', () => {
  const rows: Move[] = [
    { user: 'a', has: 'x', wants: 'y', holder: 'b' },
    { user: 'b', has: 'y', wants: 'z', holder: 'c' },
    { user: 'c', has: 'z', wants: 'free' },
  ]
  for (const order of [rows, rows.toReversed(), [rows[1], rows[2], rows[0]] as Move[]])
    expect(shown(outcome(order))).toEqual([[['c', [], []]], [['b', ['c'], []]], [['a', ['b'], []]]])
})

it('who is created takes the name that somebody gives up', () => {
  expect(
    shown(
      outcome([
        { user: 'new', wants: 'x', holder: 'a' },
        { user: 'a', has: 'x', wants: 'y' },
      ]),
    ),
  ).toEqual([[['a', [], []]], [['new', ['a'], []]]])
})

it('a circle is one unit, and who waits for it comes after it', () => {
  const units = outcome([
    { user: 'd', has: 'd', wants: 'elsewhere' },
    { user: 'a', has: 'x', wants: 'y', holder: 'b' },
    { user: 'b', has: 'y', wants: 'x', holder: 'a' },
  ])
  expect(units.map((unit) => unit.map(({ user }) => user).sort())).toEqual([['d'], ['a', 'b']])
  for (const row of units[1] ?? []) expect(row.changes[0]?.together?.toSorted()).toEqual(['a', 'b'])
})

it('two rows that take one name both have a fault, and so does who waits for one of them', () => {
  const found = outcome([
    { user: 'a', has: 'x', wants: 'new' },
    { user: 'b', has: 'y', wants: 'new' },
    { user: 'c', has: 'z', wants: 'y', holder: 'b' },
  ])
  expect(shown(found).flat().sort()).toEqual(['a', 'b', 'c'].map((user) => `${user} USERNAME_ALREADY_EXISTS`))
  expect(found.flat().find(({ user }) => user === 'a')?.faults).toEqual([
    { row: 1, column: 'Login', code: 'USERNAME_ALREADY_EXISTS', detail: 'Login is taken by another row, too' },
  ])
})

it('a name that nobody gives up is taken, and one of somebody who leaves is named with its deadline', () => {
  const [[taken], [leaving]] = outcome([
    { user: 'a', has: 'x', wants: 'y', holder: 'b' },
    { user: 'c', has: 'z', wants: 'w', holder: 'd', until: '2026-12-05T09:00:00.000Z' },
  ]) as [Unit, Unit]
  expect(taken?.faults[0]?.detail).toBe('Login belongs to the user b')
  expect(leaving?.faults[0]?.detail).toContain('free from 2026-12-05T09:00:00.000Z on')
})

/** People who each have a name, and want the name of another one, a new one, or none. */
const moves = fc
  .array(fc.oneof(fc.nat(11), fc.constant(-1), fc.constant(-2)), { minLength: 1, maxLength: 12 })
  .map((wants) =>
    wants.map((to, n): Move => {
      const target = to >= 0 ? to % wants.length : n
      const has = { user: `u${n}`, has: `n${n}` }
      if (to === -2) return { user: `u${n}` }
      if (to === -1 || target === n) return { ...has, wants: `new${n}` }
      return { ...has, wants: `n${target}`, holder: `u${target}` }
    }),
  )

it('in the order of the units each name is free when it is taken, and nobody is left out', () => {
  fc.assert(
    fc.property(moves, (all) => {
      const units = outcome(all)
      expect(
        units
          .flat()
          .map(({ user }) => user)
          .sort(),
      ).toEqual(all.map(({ user }) => user).sort())
      const names = new Map(all.map(({ user }, n) => [`n${n}`, user]))
      const done = new Set<string>()
      for (const unit of units) {
        const made = unit.filter(({ faults }) => faults.length === 0)
        for (const { changes } of made) for (const user of changes[0]?.after ?? []) expect(done).toContain(user)
        for (const { gives, user } of made) for (const name of gives) if (names.get(name) === user) names.delete(name)
        for (const { takes, user } of made)
          for (const { name } of takes) {
            expect(names.has(name), name).toBe(false)
            names.set(name, user)
          }
        for (const { user } of made) done.add(user)
      }
      // A row with a fault wants a name that another row wants, too, or waits for such a row.
      const twice = (name?: string) => all.filter(({ wants }) => wants === name).length > 1
      const blocked = (user: string, seen = new Set<string>()): boolean => {
        const row = all.find((one) => one.user === user)
        if (!row?.wants || seen.has(user)) return false
        if (twice(row.wants)) return true
        if (!row.holder) return false
        const holder = all.find((one) => one.user === row.holder)
        return holder?.has === undefined || blocked(row.holder, seen.add(user))
      }
      for (const { user, faults } of units.flat()) expect(faults.length > 0, user).toBe(blocked(user))
    }),
  )
})

it('a chain of ten thousand links is no matter of the stack', () => {
  const all = Array.from({ length: 10_000 }, (_, n): Move => {
    return { user: `u${n}`, has: `n${n}`, wants: `n${n + 1}`, ...(n < 9_999 ? { holder: `u${n + 1}` } : {}) }
  })
  const units = outcome(all)
  expect([units.length, units[0]?.[0]?.user, units.at(-1)?.[0]?.user]).toEqual([10_000, 'u9999', 'u0'])
})
