import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { audit } from '../../harness/audit.ts'
import { type Any, call } from '../../harness/call.ts'
import { dieAfterWrite } from '../../harness/faults.ts'
import { runs, SEED } from '../../harness/runs.ts'
import { people } from '../../harness/seed.ts'
import { type Service, startService } from '../../harness/service.ts'
import { apply, cancel, changes, create, faults, get, work } from '../plans.ts'
import { checkedFile, checking, csv } from './plansOfFiles.ts'

// Random people and random files: names that go from one to another, states, people who are missing, new ones, faults; other calls in
// between, and a process that dies again and again. What is done is what was planned and still held; a second plan of the file finds
// nothing to do; and taking it back leaves everybody as they were, except those who are new.

const crowd = Array.from({ length: 10 }, (_, n) => `f-${n}`)
const attributes = ['note', 'department', 'location'].map((name) => ({ name, value: 'Crew' }))
let service: Service
beforeAll(async () => {
  service = await startService({
    users: [...people, ...crowd.map((id) => ({ id, username: `u-${id}`, external_id: `E-${id}`, attributes }))],
    indexes: ['by_id', 'find', 'by_updated_at', 'by_last_name'],
  })
})

async function everybody(): Promise<Map<string, Any>> {
  const all: Any[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { page_limit: 100, ...(cursor ? { page_cursor: cursor } : {}) }
    const { users, pagination } = (await call('listUsers', { query })).body
    all.push(...users)
    cursor = pagination.next_cursor
  }
  return new Map(
    all.map(({ updated_at: _, tags, ...user }) => [user.id, { ...user, tags: tags.map(({ name }: Any) => name) }]),
  )
}

const single: Record<string, (user_id: string) => Promise<unknown>> = {
  LOCK: (user_id) => call('lockUser', { path: { user_id } }),
  UNLOCK: (user_id) => call('unlockUser', { path: { user_id } }),
  DEACTIVATE: (user_id) => call('deactivateUser', { path: { user_id } }),
  REACTIVATE: (user_id) => call('reactivateUser', { path: { user_id } }),
  DELETE: (user_id) => call('deleteUser', { path: { user_id } }),
  RESTORE: (user_id) => call('restoreUser', { path: { user_id } }),
  MAIL: (user_id) => call('updateUser', { path: { user_id }, body: { email: `${user_id}@else.org` } }),
  SALES: (user_id) => call('updateUser', { path: { user_id }, body: { attributes: { department: 'Sales' } } }),
}
const someone = fc.constantFrom(...crowd)
const calls = fc.array(fc.record({ user: someone, what: fc.constantFrom(...Object.keys(single)) }), { maxLength: 4 })
type Calls = { user: string; what: string }[]
async function make(some: Calls): Promise<void> {
  for (const { user, what } of some) await single[what]?.(user)
}

/** A cell with the username of somebody is written as it is when the file is. */
const username = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 4, arbitrary: someone.map((id) => `of ${id}`) },
  { weight: 2, arbitrary: fc.nat(3).map((n) => `new-${n}`) },
)
const row = fc.record({
  key: fc.oneof(
    { weight: 8, arbitrary: someone.map((id) => `E-${id}`) },
    fc.nat(2).map((n) => `N-${n}`),
  ),
  username,
  first_name: fc.constantFrom('', '', 'Ada', 'Bo', 'x'.repeat(65)),
  last_name: fc.constantFrom('', 'Other'),
  email: fc.constantFrom('', 'a@b.org', 'no-mail'),
  status: fc.constantFrom('', '', 'ACTIVE', 'LOCKED', 'DEACTIVATED'),
  tags: fc.constantFrom('', 'a|b', 'b'),
  department: fc.constantFrom('', 'Sales', 'Night'),
})
const history = fc.record({
  start: calls,
  rows: fc.uniqueArray(row, { maxLength: 9, selector: ({ key }) => key }),
  repeats: fc.boolean(),
  options: fc.record({
    pending: fc.constantFrom('FAULT', 'RESTORE'),
    unlock: fc.boolean(),
    empty: fc.constantFrom('IGNORE', 'CLEAR'),
    absent: fc.constantFrom('KEEP', 'KEEP', 'DEACTIVATE', 'DELETE'),
  }),
  beforeApply: calls,
  deaths: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }),
  undoDeaths: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 2 }),
})

/** Lets a worker do all there is to do, though it dies after some of its writes. */
async function through(id: string, deaths: readonly number[]): Promise<void> {
  for (const nth of deaths) {
    const { heal } = dieAfterWrite(service.client, nth)
    await work(service, id, () => {}).catch(() => undefined)
    heal()
    // The lease of the dead process ends.
    service.setNow(new Date(service.now().getTime() + 11_000))
  }
  await work(service, id)
}

const shownAs = (user: Any, field: string): unknown => {
  if (field.startsWith('attribute:'))
    return user.attributes.find(({ name }: Any) => name === field.slice('attribute:'.length))?.value ?? null
  return field === 'primary_user_group' ? user.primary_user_group.id : (user[field] ?? null)
}
const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.toSorted() : value)
const differing = (user: Any, fields: Any[], side: 'before' | 'after'): string[] =>
  fields
    .filter((one) => JSON.stringify(sorted(shownAs(user, one.field))) !== JSON.stringify(sorted(one[side])))
    .map(({ field }) => field)
/** What several changes of one user have made of each field in the end. */
const inTheEnd = (some: Any[]): Any[] => [
  ...new Map(some.flatMap(({ fields }) => fields.map((one: Any) => [one.field, one]))).values(),
]

let history_ = 0
it('what was done is what was planned and still held; nothing is left to do; and an undo takes it back', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ start, rows, repeats, options, beforeApply, deaths, undoDeaths }) => {
      const tag = `${history_++}`
      await make(start)
      const found = await everybody()
      const nameOf = (cell: string): string => {
        if (cell.startsWith('of ')) return found.get(cell.slice(3))?.username ?? ''
        return cell.startsWith('new-') ? `${cell}-${tag}` : cell
      }
      const texts = rows.map(({ key, ...cells }) => [
        ...[key.startsWith('N-') ? `${key}-${tag}` : key, nameOf(cells.username), cells.first_name, cells.last_name],
        ...[cells.email, cells.status, cells.tags, cells.department],
      ])
      const all = repeats && texts[0] ? [...texts, texts[0]] : texts
      const columns = ['external_id', 'username', 'first_name', 'last_name', 'email', 'status', 'tags', 'department']
      const file = csv(columns, ...all)
      const among = options.absent === 'KEEP' ? {} : { mode: 'FULL', absent_among: { all: true } }
      const limits = { changed_percent: 100, lifecycle_percent: 100, cleared_percent: 100 }
      const body = { ...options, ...among, limits }
      const made = await checking(file, body, all.length)
      await through(made.id, deaths)
      const plan = await get(made.id)
      expect([plan.state, plan.counts.rows]).toEqual(['READY', all.length])
      const planned = await changes(made.id)
      expect(planned.length).toBe(plan.counts.planned)
      const firsts = planned.filter((one, n) => planned.findIndex(({ user }) => user?.id === one.user?.id) === n)
      for (const { user, fields, action } of firsts)
        if (action !== 'CREATE') expect(differing(found.get(user.id), fields, 'before'), action).toEqual([])
      // Each row is unchanged, faulty, or has changes.
      const rowsWith = new Set(planned.flatMap(({ row }) => row ?? []))
      const faulty = new Set((await faults(made.id)).flatMap(({ row }) => row ?? []))
      for (const one of faulty) expect(rowsWith.has(one)).toBe(false)
      expect(rowsWith.size + faulty.size + plan.counts.unchanged).toBe(all.length)

      await make(beforeApply)
      const before = await everybody()
      expect((await apply(made.id, planned.length)).status).toBe(202)
      await through(made.id, deaths)
      const done = await get(made.id)
      expect(done.state).toBe('DONE')
      const outcomes = await changes(made.id)
      const after = await everybody()
      const isTouched = new Set(beforeApply.map(({ user }) => user))
      for (const [id, some] of Map.groupBy(outcomes, ({ user }) => user?.id)) {
        const isDone = some.filter(({ outcome }) => outcome === 'DONE')
        if (id && isDone.length > 0) expect(differing(after.get(id), inTheEnd(isDone), 'after')).toEqual([])
        else if (id) expect(after.get(id)).toEqual(before.get(id))
        // What was made comes first.
        const order = some.map(({ outcome }) => outcome === 'DONE')
        expect(order).toEqual(order.toSorted((a, b) => Number(b) - Number(a)))
      }
      const changed = new Set(outcomes.map(({ user }) => user?.id))
      for (const [id, user] of before) if (!changed.has(id)) expect(after.get(id)).toEqual(user)
      const isWhole = done.counts.done === planned.length
      if (isTouched.size === 0) expect(done.counts.skipped, JSON.stringify(outcomes)).toBe(0)
      if (isWhole && isTouched.size === 0 && done.counts.faults === 0) {
        const again = await checkedFile(service, file, body, all.length)
        expect([again.state, await changes(again.id), await faults(again.id)]).toEqual(['READY', [], []])
        await cancel(again.id)
      }

      const undo = (await create({ kind: 'UNDO', plan_id: made.id })).body
      await through(undo.id, undoDeaths)
      const ready = await get(undo.id)
      expect(ready).toMatchObject({ state: 'READY', counts: { rows: done.counts.done, skipped: 0 } })
      const kept = await faults(undo.id)
      for (const { code } of kept) expect(code).toBe('NAME_RESERVED')
      expect((await apply(undo.id, ready.counts.planned)).status).toBe(202)
      await through(undo.id, undoDeaths)
      const undone = await get(undo.id)
      expect([undone.state, undone.counts.done]).toEqual(['DONE', ready.counts.planned])
      const back = await everybody()
      if (kept.length === 0) for (const [id, user] of before) expect(back.get(id), id).toEqual(user)
      for (const [id, user] of back) if (!before.has(id)) expect(user.status).toBe('PENDING_DELETION')
      await audit(service)
    }),
    { numRuns: runs(40), seed: SEED },
  )
}, 3_600_000)
