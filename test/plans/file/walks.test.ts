import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { users as userRecords } from '../../../domain/people/records/user.ts'
import { hintOf, profileOf } from '../../../domain/people/records/userSearch.ts'
import { exists } from '../../../domain/table/expressions.ts'
import { userKey } from '../../../domain/table/keys.ts'
import { type Any, call } from '../../harness/call.ts'
import { runs, SEED } from '../../harness/runs.ts'
import { people } from '../../harness/seed.ts'
import { type Service, startService } from '../../harness/service.ts'
import { cancel } from '../plans.ts'
import { checkedFile, csv } from './plansOfFiles.ts'

// Files so large that they are joined by a walk: what lists show of users saves reading, and changes nothing of what is found.

const CROWD = 260
const states = ['ACTIVE', 'ACTIVE', 'ACTIVE', 'LOCKED', 'DEACTIVATED'] as const
const crowd = Array.from({ length: CROWD }, (_, n) => ({
  ...{ id: `w-${n}`, username: `Zoë.Ünal.${n}`, first_name: 'Some', status: states[n % 5] ?? 'ACTIVE' },
  ...(n % 9 === 0 ? {} : { external_id: `É-${n}` }),
  role: n % 13 === 0 ? ('ADMIN' as const) : ('USER' as const),
}))

let service: Service
beforeAll(async () => {
  service = await startService({
    users: [...people, ...crowd],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
  // A third of the rows are as an earlier release has written them.
  for (const { id } of crowd.filter((_, n) => n % 3 === 0)) {
    const user = await userRecords.read(service.store, id)
    if (user) await service.store.write([{ update: userKey(id), set: { hint: hintOf(profileOf(user)) }, if: exists }])
  }
  await call('deleteUser', { path: { user_id: 'w-200' } })
})

async function allChanges(plan_id: string): Promise<Any[]> {
  const found: Any[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { page_limit: '100', ...(cursor ? { page_cursor: cursor } : {}) }
    const { body } = await call('listPlanChanges', { path: { plan_id }, query })
    found.push(...body.changes)
    cursor = body.pagination.next_cursor
  }
  return found
}

const keys = { EXTERNAL_ID: 'external_id', USERNAME: 'username', ID: 'id' } as const
const order = fc.record({
  match_by: fc.constantFrom(...(['EXTERNAL_ID', 'USERNAME', 'ID'] as const)),
  from: fc.integer({ min: 0, max: CROWD }),
  rows: fc.constantFrom(90, 105, 150, CROWD),
  absent: fc.constantFrom('KEEP', 'DEACTIVATE', 'DELETE'),
  among: fc.constantFrom({ all: true }, { status: ['LOCKED'] }, { search_term: '1' }, { role: 'USER' }),
})

it('a walk finds whom the rows are about, and who is absent', () =>
  fc.assert(
    fc.asyncProperty(order, async ({ match_by, from, rows, absent, among }) => {
      const key = keys[match_by]
      const keyOf = (user: (typeof crowd)[number]): string | undefined => user[key]
      const pending = (id: string): boolean => id === 'w-200'
      const inFile = Array.from({ length: rows }, (_, n) => crowd[(from + n) % CROWD] as (typeof crowd)[number]).filter(
        (user) => keyOf(user) !== undefined && !pending(user.id),
      )
      const text = csv(
        [key, 'first_name'],
        ...inFile.map((user, n) => [keyOf(user) ?? '', n % 7 === 0 ? 'Other' : 'Some']),
      )
      const full = absent === 'KEEP' ? {} : { mode: 'FULL', absent, absent_among: among }
      const limits = { changed_percent: 100, lifecycle_percent: 100 }
      const plan = await checkedFile(service, text, { match_by, ...full, limits }, inFile.length)
      expect([plan.state, plan.fault, plan.counts.faults]).toEqual(['READY', null, 0])
      const found = await allChanges(plan.id)
      await cancel(plan.id)
      const shown = found.map(({ row, user, action }) => `${row === null ? 'absent' : 'row'} ${user.id} ${action}`)
      const isAmong = ({ status, username, role }: (typeof crowd)[number]): boolean =>
        'all' in among ||
        ('status' in among && status === 'LOCKED') ||
        ('role' in among && role === 'USER') ||
        ('search_term' in among && username.includes('.1'))
      const isHere = new Set(inFile.map(({ id }) => id))
      const missing = crowd.filter(
        (user) =>
          absent !== 'KEEP' &&
          !isHere.has(user.id) &&
          !pending(user.id) &&
          keyOf(user) !== undefined &&
          user.status !== 'DEACTIVATED' &&
          user.role !== 'ADMIN' &&
          isAmong(user),
      )
      const expected = [
        ...inFile.filter((_, n) => n % 7 === 0).map(({ id }) => `row ${id} UPDATE`),
        ...missing.map(({ id }) => `absent ${id} ${absent}`),
      ]
      expect(shown.filter((one) => one.includes(' w-')).sort()).toEqual(expected.sort())
    }),
    { numRuns: runs(24), seed: SEED },
  ))
